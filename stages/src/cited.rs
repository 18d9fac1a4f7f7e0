//! Who wrote the papers, where they are, and since when the criteria of their claims stand.

use site::names::{Citation, Criteria};

pub const HARMONICA: Citation = Citation {
    authors: "E. Hazan, A. Klivans, Y. Yuan",
    published: "ICLR 2018",
    arxiv: "1706.00764",
    code: Some("https://github.com/callowbird/Harmonica"),
    criteria: Some(Criteria { date: "2026-11-21", commit: "2565331" }),
};

pub const HOAG: Citation = Citation {
    authors: "F. Pedregosa",
    published: "ICML 2016",
    arxiv: "1602.02355",
    code: Some("https://github.com/fabianp/hoag"),
    criteria: Some(Criteria { date: "2026-11-21", commit: "7560444" }),
};

pub const HYPERTUNE: Citation = Citation {
    authors: "T. T. Joy, S. Rana, S. Gupta, S. Venkatesh",
    published: "arXiv, 2019",
    arxiv: "1902.02416",
    code: None,
    criteria: Some(Criteria { date: "2026-11-21", commit: "3ec69a6" }),
};

pub const SMOOTHIE: Citation = Citation {
    authors: "R. Yedida, T. Menzies",
    published: "arXiv, 2024",
    arxiv: "2401.09622",
    code: Some("https://github.com/yrahul3910/smoothness-hpo"),
    criteria: Some(Criteria { date: "2026-11-21", commit: "ee5bacc" }),
};

pub const STN: Citation = Citation {
    authors: "M. MacKay, P. Vicol, J. Lorraine, D. Duvenaud, R. Grosse",
    published: "ICLR 2019",
    arxiv: "1903.03088",
    code: Some("https://github.com/asteroidhouse/self-tuning-networks"),
    criteria: Some(Criteria { date: "2026-11-21", commit: "3be95b4" }),
};

pub const TPE: Citation = Citation {
    authors: "S. Watanabe",
    published: "arXiv, 2023",
    arxiv: "2304.11127",
    code: Some("https://github.com/nabenabe0928/tpe"),
    criteria: Some(Criteria { date: "2026-11-25", commit: "d455be7" }),
};
