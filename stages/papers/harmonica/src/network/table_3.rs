//! Table 3 of the paper: the features of each stage with their weights.

/// Stage, numbers of the variables, weight. Stage 1's last, `34*35*52`, is named there by three variables
/// whose numbers belong to others in Table 2; it is kept as printed.
pub const TABLE_3: [(u32, &str, f64); 21] = [
    (1, "24", 8.05),
    (1, "19", 3.47),
    (1, "04*05", 3.12),
    (1, "19*24", -2.55),
    (1, "04", -2.34),
    (1, "28", -1.90),
    (1, "24*28", 1.79),
    (1, "34*35*52", 1.54),
    (2, "03", -4.22),
    (2, "03*10", -3.02),
    (2, "15", 2.80),
    (2, "10", 2.19),
    (2, "15*17", 1.68),
    (2, "01", -1.26),
    (2, "01*10", -1.12),
    (2, "01*03", 0.67),
    (3, "29", -0.49),
    (3, "28", -0.26),
    (3, "06*28", 0.23),
    (3, "25", 0.21),
    (3, "28*29", 0.20),
];
