package controller

// SetMaxPending sets the MaxPending of the handlers of c.
func SetMaxPending(c *Controller, n int) { c.maxPending = n }
