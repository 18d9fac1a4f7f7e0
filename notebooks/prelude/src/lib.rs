//! What a notebook needs: open artifacts by stage name, show tables and figures, print keys and verdicts.
