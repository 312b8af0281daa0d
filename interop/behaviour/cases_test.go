package behaviour

import "slices"

// testCases returns all cases, in the order of the recorded output.
func testCases() []testCase {
	return slices.Concat(
		keys(), stores(), listers(), queues(), fifos(), reflectors(), sources(),
		informers(), fakes(), relists(), lifetimes(), transforms(), resyncs(), handlers(), controllers(), waits(),
		workqueues(), delays(), rates(), measured(), others(), badInput(), edges(),
		besides(), pagers(), retryWatchers(), waitsForEvents(), informerWatchers(),
	)
}

// notShown has the rows of the table without a case, and the reasons.
var notShown = map[string]string{
	"getter-type":          "a program that writes it as client-go has it does not compile",
	"accepts":              "the server of the cases has no protobuf: TestTheBytesOfAClientsetAreDecodedHere has the requests",
	"clientset-called":     "the cases have no clientset: TestAClientsetThatExchangesItsClient counts its calls",
	"single-calls":         "calls take no time in a synctest bubble: BenchmarkSingleCalls measures them",
	"environment":          "the variables have to be set before the process starts",
	"measured-queue":       "the ticker of a queue is visible only in its source",
	"negative-period":      "client-go's callbacks would not end",
	"queue-lock":           "a goroutine that waits for a lock stops the time of a synctest bubble",
	"fake-source-shutdown": "client-go's calls would not return",
	"metrics-lock":         "a metric that calls its queue would deadlock",
}
