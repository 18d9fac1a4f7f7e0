//! Results that anyone can read: a remote's folder behind a web server, or packed as a tar archive.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    thread,
};

use tempfile::TempDir;

use crate::world::{World, set};

/// A folder with what one store computed.
fn shared() -> (World, TempDir) {
    let (world, folder) = (World::new(), TempDir::new().expect("a temporary folder"));
    world.good_run(&["--remote", &folder.path().display().to_string()]);
    (world, folder)
}

/// A web server for a folder, at the returned address, until the tests end.
fn serve(folder: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("it has one");
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let folder = folder.clone();
            thread::spawn(move || answer(&folder, connection));
        }
    });
    format!("http://{address}/results-of-others")
}

fn answer(folder: &Path, mut connection: TcpStream) -> std::io::Result<()> {
    let mut lines = BufReader::new(connection.try_clone()?).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let mut words = request.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let name = path.strip_prefix("/results-of-others/").expect("below the address");
    let (status, body) = match fs::read(folder.join(name)) {
        Ok(body) => ("200 OK", body),
        Err(_) => ("404 Not Found", b"no such file".to_vec()),
    };
    let length = body.len();
    write!(
        connection,
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    )?;
    if method == "GET" {
        connection.write_all(&body)?;
    }
    connection.flush()
}

/// The number of files below a folder.
fn files(below: &Path) -> usize {
    let entries = fs::read_dir(below).expect("a folder").flatten();
    entries.map(|entry| if entry.path().is_dir() { files(&entry.path()) } else { 1 }).sum()
}

#[test]
fn a_web_server_gives_what_one_has_computed() {
    let (one, folder) = shared();
    let other = World::new();
    let url = serve(folder.path().to_owned());
    let ran = other.good_run(&["--remote", &url]);
    assert_eq!(ran.executed(), set::<&str>([]), "nothing is computed");
    assert!(other.artifacts() == one.artifacts(), "the same bytes");
}

#[test]
fn what_a_web_server_lacks_or_has_wrongly_is_computed_and_nothing_is_put_there() {
    let (one, folder) = shared();
    for kind in ["objects", "results"] {
        let below = fs::read_dir(folder.path().join(kind)).expect("a folder").flatten();
        for (i, at) in below.enumerate().filter(|(i, _)| i % 3 == 0) {
            for file in fs::read_dir(at.path()).expect("a folder").flatten() {
                match i % 2 {
                    0 => fs::remove_file(file.path()).expect("can be removed"),
                    _ => fs::write(file.path(), "spoilt").expect("can be written"),
                }
            }
        }
    }
    let before = files(folder.path());
    let other = World::new();
    let ran = other.good_run(&["--remote", &serve(folder.path().to_owned())]);
    assert!(!ran.executed().is_empty() && !ran.summary("pulled").is_empty());
    assert!(other.artifacts() == one.artifacts(), "the same bytes");
    assert_eq!(files(folder.path()), before);
}

#[test]
fn a_web_server_that_is_not_there_is_a_warning() {
    let world = World::new();
    let ran = world.good_run(&["--remote", "http://127.0.0.1:9/results-of-others"]);
    assert_eq!(ran.executed().len(), world.plan(&[]).len());
    let said: Vec<&str> = ran
        .events
        .iter()
        .filter(|event| event["event"] == "remote")
        .filter_map(|event| event["message"].as_str())
        .collect();
    assert!(said.len() == 1 && said[0].contains("cannot be read: curl:"), "{said:?}");
}

#[test]
fn an_archive_gives_what_one_has_computed() {
    let (one, folder) = shared();
    let archive = folder.path().join("deposit.tar");
    for (from, below) in [(folder.path(), "."), (folder.path(), "deposit")] {
        let file = fs::File::create(&archive).expect("can be written");
        let mut tar = tar::Builder::new(file);
        for kind in ["objects", "results"] {
            tar.append_dir_all(Path::new(below).join(kind), from.join(kind)).expect("packed");
        }
        tar.finish().expect("packed");
        let other = World::new();
        let ran = other.good_run(&["--remote", &archive.display().to_string()]);
        assert_eq!(ran.executed(), set::<&str>([]), "nothing is computed");
        assert!(other.artifacts() == one.artifacts(), "the same bytes");
    }
    fs::write(&archive, "no archive").expect("can be written");
    let ran = World::new().run(&["--remote", &archive.display().to_string()]);
    assert_eq!(ran.ended.code, 3, "{}", ran.ended.stderr);
    assert!(ran.ended.stderr.contains("deposit.tar"), "{}", ran.ended.stderr);
}
