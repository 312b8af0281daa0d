package behaviour

import "slices"

// scenes are all of them, in the order of the transcript.
func scenes() []scene {
	return slices.Concat(
		keys(), stores(), listers(), queues(), fifos(), reflectors(), sources(),
		informers(), relists(), lifetimes(), transforms(), resyncs(), handlers(), controllers(), waits(),
		workqueues(), delays(), rates(), measured(), others(), badInput(), edges(),
	)
}

// notShown are the rows of the table that no scene shows, and why not.
var notShown = map[string]string{
	"environment":     "it would have to be set before the process begins",
	"measured-queue":  "the ticker of a queue can be seen in its source alone",
	"negative-period": "there is no end of what client-go tells then",
	"queue-lock":      "who waits for a lock stands still in the time of a test",
	"metrics-lock":    "a metric that asks its queue would stand still for ever",
}
