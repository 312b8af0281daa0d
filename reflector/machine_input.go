package reflector

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// An input is an event for the machine. It holds what the machine needs to
// decide, and no object.
type input struct {
	kind inputKind
	at   time.Time

	// eventType, version and initialEventsEnd describe an event, or a skipped
	// one. version is also set for inputListed.
	eventType        watch.EventType
	version          string
	initialEventsEnd bool
	// storeWrong: the skipped event has left the store in a wrong state.
	storeWrong bool

	// failure and jitter (0 <= jitter < 1, for the wait) are set for inputFailed
	// and inputEnded.
	failure failure
	jitter  float64

	// listReason is why the source cannot stream its state. It is set for
	// inputStart, inputWaitOver and inputReleased.
	listReason string
	// served is set for inputWaitOver if the wait for a resource that was not found has
	// ended because of the source, not because of the backoff.
	served bool
}

type inputKind uint8

const (
	inputStart    inputKind = iota + 1 // Run or ListAndWatch was called
	inputWaitOver                      // the wait is over
	inputHeld                          // before a request: the server is known not to respond
	inputReleased                      // the shared wait is over: the server has answered another reflector, or it is this one's turn to send a request
	inputAnswered                      // the source has accepted a watch
	inputEvent                         // an event was received
	inputSkipped                       // an event, or an item of a list, cannot be decoded
	inputChecked                       // the source still has version
	inputListed                        // a list has been read completely
	inputReplaced                      // the store has received the initial state
	inputEnded                         // a watch has ended normally
	inputIdle                          // nothing was received within the idle timeout
	inputFailed                        // a request, a watch or the store has failed
	inputStop                          // the context is done
)

var inputNames = [...]string{"", "start", "wait-over", "held", "released", "answered", "event", "skipped", "checked", "listed", "replaced", "ended", "idle", "failed", "stop"}

// An outcome is the decision of the machine on an input.
type outcome struct {
	stage   stage
	verdict verdict
	// refused: the input is not valid in the stage.
	refused bool
	// report is passed to the WatchErrorHandler.
	report *Error
	// remember is why the source cannot stream its initial state. The source
	// records it for later reflectors.
	remember string
}

// verdict is the decision on a received event.
type verdict uint8

const (
	// verdictDrop ignores the event.
	verdictDrop verdict = iota
	// verdictPass passes the event to the store.
	verdictPass
	// verdictHold passes the event to the store after the initial state.
	verdictHold
	// verdictInitialEnd completes the initial state.
	verdictInitialEnd
	// verdictBookmark passes only the version to the store.
	verdictBookmark
)

var verdictNames = [...]string{"drop", "pass", "hold", "initial-end", "bookmark"}

// String returns the input as a line of a transcript, without its time.
func (in input) String() string {
	words := []string{inputNames[in.kind]}
	switch in.kind {
	case inputEvent, inputSkipped:
		if in.eventType != "" {
			words = append(words, string(in.eventType))
		}
		words = append(words, "version="+quoted(in.version))
		if in.initialEventsEnd {
			words = append(words, "initial-events-end")
		}
		if in.storeWrong {
			words = append(words, "store-wrong")
		}
	case inputListed:
		words = append(words, "version="+quoted(in.version))
	case inputStart, inputWaitOver, inputReleased:
		if in.listReason != "" {
			words = append(words, "list-reason="+quoted(in.listReason))
		}
		if in.served {
			words = append(words, "served")
		}
	}
	if in.failure.reason != "" {
		words = append(words, "reason="+quoted(string(in.failure.reason)))
	}
	if in.failure.retryAfter > 0 {
		words = append(words, "retry-after="+in.failure.retryAfter.String())
	}
	if in.failure.code > 0 {
		words = append(words, "code="+strconv.Itoa(int(in.failure.code)))
	}
	switch {
	case in.failure.sharedWait && in.failure.ownBackoff:
		words = append(words, "shared own-backoff")
	case in.failure.sharedWait:
		words = append(words, "shared")
	}
	if in.failure.askedIn > 0 {
		words = append(words, "asked-in="+in.failure.askedIn.String())
	}
	if in.failure.err != nil {
		words = append(words, "error="+quoted(in.failure.err.Error()))
	}
	if in.jitter > 0 {
		words = append(words, "jitter="+strconv.FormatFloat(in.jitter, 'g', -1, 64))
	}
	return strings.Join(words, " ")
}

// quoted returns a value of a transcript, in quotes if it is not a single word.
func quoted(s string) string {
	if s == "" || strings.ContainsAny(s, " \"'=()\n\t\\") || strconv.Quote(s) != `"`+s+`"` {
		return strconv.Quote(s)
	}
	return s
}

// String returns the outcome as a line of a transcript.
func (out outcome) String() string {
	words := []string{out.stage.String()}
	if out.refused {
		words = append(words, "refused")
	}
	if out.verdict != verdictDrop {
		words = append(words, verdictNames[out.verdict])
	}
	if out.report != nil {
		words = append(words, fmt.Sprintf("report(%s: %s)", out.report.Reason, firstLine(out.report.Error())))
	}
	if out.remember != "" {
		words = append(words, fmt.Sprintf("remember(%s)", firstLine(out.remember)))
	}
	return strings.Join(words, " ")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
