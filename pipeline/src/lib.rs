//! A content-hashed DAG engine: typed stages, a content-addressed Parquet store, parallel runs, explanations of every rerun.
