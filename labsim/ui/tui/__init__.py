"""The full-screen face (Textual). Lines run on a worker thread; widgets are touched on the UI thread only."""
