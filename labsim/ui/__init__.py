"""The faces: headless, plain REPL, terminal UI. All of them drive the same Lab."""
