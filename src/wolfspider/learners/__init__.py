"""Value functions that policies own: fitted to examples, then asked about links."""
