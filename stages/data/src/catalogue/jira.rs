//! Catalogue entries of issue close time in Jira and GitHub: additional data sets under their own names. They
//! are NOT the data of the papers on issue lifetime, and are never used in their place. Data only.

use super::super::loaders::jira;
use super::super::registry::{DataSet, FileSpec, Loader, Packing, Pin, Shape, Source, Variant};

/// The file of one project for one interval of close time.
macro_rules! interval {
    ($role:literal, $url:literal, $project:literal, $bytes:literal, $sha256:literal) => {
        FileSpec {
            role: $role,
            variants: &[Variant {
                name: concat!($role, ".csv"),
                pin: Pin::Sha256($sha256),
                bytes: Some($bytes),
                sources: &[
                    Source::Mirror(
                        "issue_close_time-jira-FALLBACK.tar.xz",
                        Packing::TarXz(concat!("issue_close_time/", $role, "/", $project, ".csv")),
                    ),
                    Source::Url(
                        concat!(
                            "https://raw.githubusercontent.com/yrahul3910/raise/",
                            "37910107911e0b12b00af0ddbd0a2bd96e479824/issue_close_time/",
                            $url,
                            "/",
                            $project,
                            ".csv"
                        ),
                        Packing::Plain,
                    ),
                ],
            }],
        }
    };
}

/// A project: its number of rows, then length and hash of each of its files, the shortest close time first.
macro_rules! project {
    (
        $project:literal, $rows:literal,
        $b0:literal $h0:literal,
        $b1:literal $h1:literal,
        $b2:literal $h2:literal,
        $b3:literal $h3:literal,
        $b4:literal $h4:literal,
        $b5:literal $h5:literal,
        $b6:literal $h6:literal,
    ) => {
        DataSet {
            id: concat!("issue-lifetime-jira-", $project),
            name: concat!("Issue close time in Jira (not Bugzilla): ", $project),
            files: &[
                interval!("1 day", "1%20day", $project, $b0, $h0),
                interval!("7 days", "7%20days", $project, $b1, $h1),
                interval!("14 days", "14%20days", $project, $b2, $h2),
                interval!("30 days", "30%20days", $project, $b3, $h3),
                interval!("90 days", "90%20days", $project, $b4, $h4),
                interval!("180 days", "180%20days", $project, $b5, $h5),
                interval!("365 days", "365%20days", $project, $b6, $h6),
            ],
            licence: "data: none stated; repository MIT",
            citation: "Rees-Jones, Martin, Menzies: Better predictors for issue lifetime, arXiv 1702.07735, 2017",
            page: "https://github.com/yrahul3910/raise",
            shape: Shape { rows: $rows, features: 17, classes: Some(8) },
            loader: Loader::Rows(jira::load),
        }
    };
}

pub(super) const CAMEL: DataSet = project!(
    "camel", 5_056,
    320_487 "4f1720af160794601e5a2d2866acf3d8e94de680a5d3be0bf9657be6142f3b03",
    320_748 "e21fdc138ce8ced9ec6f02886f62ae9ac73c4d0b9de0b7a761545872b936b663",
    321_037 "cb558005b2c6955d5b9f84d7c983886cb4ec8e2e1458771d702faf3cd727b36c",
    321_018 "788f370b480de66d003765bf7c4006377184e01879358dfed7db068ad470943f",
    320_885 "fc97f953bfa79b44a203acbff041abf65026156fccf6bacf15d8c8a734858c43",
    320_528 "d95c6e6d2b102e3b73e02f0be3192c51b5d6f86b5c8a9695c56fae509842bcf5",
    319_134 "8a549a541ebc7aacb9e6a989813c19ced1a2195caad2999ec3b73eb9dd85dc93",
);

pub(super) const CLOUDSTACK: DataSet = project!(
    "cloudstack", 1_551,
    94_921 "fe0a9b501b0550c06aede7da1ab280a7e982ec64407848cf45ffb52cc678409e",
    95_122 "e287ed61ad4d34c39a172689a8c13fe18a8f61fb446a468f419611c2ace5a4c3",
    95_478 "ed67aee75f5602a9b9a0074cb878990d0c817c4386b210814426384d29e8b5ce",
    95_472 "a74417273e769cda26e1e55a984d9470dc36f98b3865998eb5213caa0bacbf7c",
    95_446 "42345afa36725bfea9e4b7c44129f2072aac7bc2d81649c091eb522941386879",
    95_514 "5166fa0305f771d18896cf291f2c68f9b7f5ff0c97be8c88839cc65440cccd0f",
    95_555 "9519dbfbbd1bb9773312000efd02cda738c6196170509dc41981a77b4d243e1f",
);

pub(super) const COCOON: DataSet = project!(
    "cocoon", 2_045,
    118_360 "c9c4e2ad288ee733f967c4c0bb97615f4ed19abb5c97a3aef722c338e6ab477a",
    118_393 "ddc8a2194fcdd229335fbc741afc41120fb20c993401074aa6efebfa258f5c12",
    118_453 "aa8b3c77819048e7c70611f7b67444c5b37c02194d6e3a15a95692ab35463971",
    118_440 "64fe75013e535b69405c180ae6965e09a4e258056a5b795987acfc03a2787da7",
    118_400 "cbbab980f04509670d54b229aa8adcd409a516f8ab0df6bcb584d88fdcfddc9e",
    118_433 "e00e6cb455256f60fa2bd531cfdda3370b0e279335eada202a21b70b586a86b4",
    118_411 "59a23818e5ba95408fc050868ffe1c8e4be52c1bd8c3472c3605d03edb866a0a",
);

pub(super) const DEEPLEARNING: DataSet = project!(
    "deeplearning", 1_434,
    84_624 "3dffcfc978bef9ba93449eda06735da0ceaf45571f1423c3807807c387be00fa",
    85_341 "0e189f0474edde4a4c6059dc07305e64f572d50234800e91ac73c9dc0b8d4ee8",
    85_479 "77ed132b0548f12e4300c8bf03856cb882216e26395d64a95ed2fcc9b5a8dbbd",
    85_483 "c7bdd84a1f759d42529eb6cff5d0b6b9c556e032b55d5335cf1c9a2eaa16a974",
    85_486 "fa1b949b97b0288fb78b16b49ef06f380fe077b34d40014689f261d662029005",
    85_516 "87cd7ea782098920604494a7f4260a318cee79f8d8e944f816fa4264fd127dac",
    85_523 "5f20cb034edffdea1fcbeda3fff870fd2103586a2c3c3b14fd334e7d6a7130bc",
);

pub(super) const HADOOP: DataSet = project!(
    "hadoop", 12_191,
    790_703 "97df7145458c29e219b6b1b6d68d07e6c4ff3b70ceaf4e39a79edad78bdbd8e9",
    790_678 "2add5c4a32de6f12356addb5d80ef7b9196856677b80b8525ddd39f8c2f05bc2",
    790_636 "bb21dfd74b4f906ff68799c1f2cd405303c862d8a4cbc055f512ad82be6bc1ec",
    790_347 "9d939b9bc7c1d3d9fcb933510d72bb8949ee0da3619e27ec28109c7a678d950a",
    788_999 "33dd6b95c19060a420bef1afba22a406e23232bee7f017bc636fc12f0ac1e64c",
    788_556 "bb82fac91262f111d673a6ad6f0a6e7e811f4f04306e38882e23d65a01a84903",
    788_608 "e641d2c6d55aff9cd3e9203401f730c8a90038ab3a9a0a12bd5e46b62205fe2f",
);

pub(super) const HIVE: DataSet = project!(
    "hive", 5_648,
    349_435 "6075506702919bf68a5f908b90328b63c8b19647d539ad0298d19baf4ab6dbbc",
    349_431 "84985792e4ed847c652712916b92694a5d17683832d70e9dced55a4d63080bf9",
    349_395 "983773458cc3addb768c0bab6a57238af1ef12f000b3f0484b618dc7c9772027",
    349_275 "02ac9da101facea3f08956075348f21c59dab2cf1cf18b3edde44f1ba6f00754",
    348_402 "6969cf252a510487701adee68bc941b0e6912b08523d2bea2fa42aa336daf7ed",
    348_098 "9d861e88f6b0fe57f3f703c01ad4f1760505c2f4eadf4239bc2fe319f3628d52",
    348_013 "3d262758804d37eba1a37290a0ea4f2954a9a5e160681f07ec036a216b20cd04",
);

pub(super) const NODE: DataSet = project!(
    "node", 6_207,
    396_300 "417a9a052a6b57a23006edca88bf379775e565d2decb647f3c4ecf21e1f2c042",
    396_929 "47fae68b3a7bcc3ec8a2d63c949f38c09fe3cdff041f2b598d050481e2684736",
    398_205 "2598cef2289425b7aee826feb4f04959e966ea94dd4227ec0eb5b8443fb2a038",
    398_274 "2d5dd4ebda72a166fbf101d0a0a5c5379b76644701f0f36c50f380183358aedf",
    398_175 "40e98d27ceed3f6b6797606e1a717ae572c37fbde9caa0d757ce17926e810958",
    398_477 "7930df570cce0a06d0c9b5e7ca4f8ee2ffaf232c300242077bfffe60e2bba388",
    398_552 "16f811bd43b9f6549e1105d512bd2eddacf13b392293c5153e6421de090ffde4",
);

pub(super) const OFBIZ: DataSet = project!(
    "ofbiz", 6_177,
    381_189 "a93d9dabcb1672f8438e81c78ff87a06172077f30d4cf8463747eb34600380b8",
    381_535 "4b55717aebc5dc16a245f293186ea134217b55ea42c33ef7c602a9816bc96f72",
    382_237 "5cdd73eff9de70c69884252c1409b787cdc0f307771f23bbdf52c95339c9b10f",
    382_227 "23a83d8ad74225bfaa8e0c24a2700867cdc9772d39011f26357c6b2f72281aa3",
    382_127 "8c56774fc23b21bcb407541d1821a2d8872128c0702c77178c4822f2ef24bbc7",
    382_235 "599ebd594d49eb639fe67139787bcc2f6c4ed988aed7b494caa25a42207ece54",
    382_303 "7e986daeb9734db392f38e8d05e63bb40fb5b897e64f07239291c57e46158202",
);

pub(super) const QPID: DataSet = project!(
    "qpid", 5_475,
    335_926 "22e730c7ff47f246e0a303e3679954ca8d066e5ca5ebe294c48a1af3c9c412a5",
    335_941 "c783cdb15159d14323b4750e4379ef72ddccd9d427cfb6a58b584438af2f02f8",
    336_045 "05229b4febed1a2af55362e01a39d02ba1c2ed653cbf07fd6b204c92d5c9c4c3",
    335_951 "9d915e155d9714413f152030afebe6f06cb383b94c5a106146d001cdfce705f7",
    335_570 "8af68b564ba42607eb010e4c4bbc190212d93879242816bf8d36a5d57b881078",
    335_272 "f9c1b4cfe812301f4669a4b768d4c4c780eecb3bfd2feb26814047d4e4c8c218",
    335_596 "d035c4f7af066b305f63128a915326d19f46b0517cb1cdbacf391ce2594644a8",
);
