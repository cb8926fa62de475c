"""TAIDL -> compiler backend."""
