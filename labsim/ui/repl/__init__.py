"""The plain face: a line-by-line prompt without alternate screen, for screen readers, pipes and slow links."""
