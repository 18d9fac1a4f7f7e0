//! Who wrote the papers, and where they are.

use site::names::Citation;

pub const HARMONICA: Citation = Citation {
    authors: "E. Hazan, A. Klivans, Y. Yuan",
    published: "ICLR 2018",
    arxiv: "1706.00764",
    code: Some("https://github.com/callowbird/Harmonica"),
};

pub const HOAG: Citation = Citation {
    authors: "F. Pedregosa",
    published: "ICML 2016",
    arxiv: "1602.02355",
    code: Some("https://github.com/fabianp/hoag"),
};

pub const HYPERTUNE: Citation = Citation {
    authors: "T. T. Joy, S. Rana, S. Gupta, S. Venkatesh",
    published: "2019",
    arxiv: "1902.02416",
    code: None,
};

pub const SMOOTHIE: Citation = Citation {
    authors: "R. Yedida, T. Menzies",
    published: "2024",
    arxiv: "2401.09622",
    code: Some("https://github.com/yrahul3910/smoothness-hpo"),
};

pub const STN: Citation = Citation {
    authors: "M. MacKay, P. Vicol, J. Lorraine, D. Duvenaud, R. Grosse",
    published: "ICLR 2019",
    arxiv: "1903.03088",
    code: Some("https://github.com/asteroidhouse/self-tuning-networks"),
};

pub const TPE: Citation = Citation {
    authors: "S. Watanabe",
    published: "2023",
    arxiv: "2304.11127",
    code: Some("https://github.com/nabenabe0928/tpe"),
};
