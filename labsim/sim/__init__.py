"""Time and chance: the clock, timers, seeded names, the journal and the event loop. Imports nothing of labsim."""
