//! Results shared by a real server that speaks S3: moto's, on this machine. Builds the engine with the feature
//! `remote-s3`.

use std::{
    env,
    fs::File,
    process::{Child, Command},
    thread::sleep,
    time::Duration,
};

use crate::tools::{Checkout, End, ensure, run, said};

const FEATURES: [&str; 2] = ["--features", "pipeline/remote-s3"];
const BUCKET: &str = "import boto3, os
boto3.client('s3', endpoint_url=os.environ['AWS_ENDPOINT_URL']).create_bucket(Bucket='shared')";

/// A server that ends with its holder.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

pub fn check(checkout: &Checkout, words: &[String]) -> Result<(), End> {
    let python = checkout.python("s3")?;
    let port = env::var("S3_TEST_PORT").unwrap_or_else(|_| "25555".to_owned());
    let log = File::create(checkout.tools.join("s3/log"))?;
    let mut server = Command::new(checkout.tools.join("s3/bin/moto_server"));
    server.args(["-H", "127.0.0.1", "-p", &port]).stdout(log.try_clone()?).stderr(log);
    let _server = Server(server.spawn()?);
    let settings = [
        ("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{port}")),
        ("AWS_ALLOW_HTTP", "true".to_owned()),
        ("AWS_REGION", "us-east-1".to_owned()),
        ("AWS_ACCESS_KEY_ID", "test".to_owned()),
        ("AWS_SECRET_ACCESS_KEY", "test".to_owned()),
        ("S3_TEST_URL", "s3://shared".to_owned()),
    ];
    // The server takes a moment to listen.
    let bucket = || {
        let mut ask = checkout.command(&python);
        ask.args(["-c", BUCKET]).envs(settings.clone());
        said(&mut ask).is_ok_and(|(output, _)| output.status.success())
    };
    let listens = (0..100).any(|_| {
        sleep(Duration::from_millis(200));
        bucket()
    });
    ensure(listens, "the server does not listen: see .tools/s3/log")?;
    run(checkout.cargo(&["build", "--example", "toy"]).args(FEATURES))?;
    let test = |target: &[&str]| {
        let mut test = checkout.cargo(&["test", "--workspace"]);
        run(test.args(FEATURES).arg("--test").args(target).args(words).envs(settings.clone()))
    };
    test(&["remote"])?;
    test(&["engine", "remote::"])?;
    // Later tests use the toy without it.
    checkout.build()
}
