//! A shelf that is a bucket of S3, or of a server with the same interface. Region, endpoint and keys come from the
//! environment (`AWS_REGION`, `AWS_ENDPOINT_URL`, `AWS_ACCESS_KEY_ID`, …).

use std::time::Duration;

use object_store::{
    ClientConfigKey, Error as StoreError, ObjectStoreExt, RetryConfig,
    aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey},
    path::Path,
};
use tokio::runtime::{Builder, Runtime};

use super::Shelf;
use crate::error::{Error, Exit, Result};

/// A bucket, or the part of it below a prefix.
pub(super) struct S3 {
    bucket: AmazonS3,
    prefix: Path,
    url: String,
    runtime: Runtime,
}

impl S3 {
    /// The bucket of `s3://BUCKET/PREFIX`.
    pub(super) fn open(url: &str) -> Result<Self> {
        let wrong = |why: String| {
            Error::usage(format!("--remote {url}: {why}"))
                .help("set AWS_REGION, AWS_ACCESS_KEY_ID and so on as for any program that uses S3")
        };
        let prefix = url.trim_start_matches("s3://").split_once('/').map_or("", |(_, rest)| rest);
        // An unreachable server is noticed within seconds, so the run goes on without it.
        let retry = RetryConfig {
            max_retries: 3,
            retry_timeout: Duration::from_secs(20),
            ..RetryConfig::default()
        };
        let patience = AmazonS3ConfigKey::Client(ClientConfigKey::ConnectTimeout);
        let bucket = AmazonS3Builder::from_env()
            .with_url(url)
            .with_retry(retry)
            .with_config(patience, "5 seconds")
            .build()
            .map_err(|e| wrong(e.to_string()))?;
        // The threads of the callers drive it.
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(|e| wrong(e.to_string()))?;
        let prefix = Path::parse(prefix).map_err(|e| wrong(e.to_string()))?;
        Ok(Self { bucket, prefix, url: url.to_owned(), runtime })
    }

    fn path(&self, name: &str) -> Path {
        name.split('/').fold(self.prefix.clone(), |path, part| path.join(part))
    }

    fn error(&self, error: StoreError) -> Error {
        Error::new(Exit::Store, format!("cannot use {}: {error}", self.url)).because(error)
    }

    fn found<T>(&self, found: Result<T, StoreError>) -> Result<Option<T>> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(StoreError::NotFound { .. }) => Ok(None),
            Err(e) => Err(self.error(e)),
        }
    }
}

impl Shelf for S3 {
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let path = self.path(name);
        let bytes = self.runtime.block_on(async { self.bucket.get(&path).await?.bytes().await });
        Ok(self.found(bytes)?.map(Vec::from))
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        let head = self.runtime.block_on(self.bucket.head(&self.path(name)));
        Ok(self.found(head)?.map(|meta| meta.size))
    }

    fn put(&self, name: &str, bytes: Vec<u8>) -> Result<()> {
        let put = self.runtime.block_on(self.bucket.put(&self.path(name), bytes.into()));
        put.map(drop).map_err(|e| self.error(e))
    }
}
