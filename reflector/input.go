package reflector

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// An input is something that has happened. It holds what is needed to decide,
// and no object.
type input struct {
	kind inputKind
	at   time.Time

	// typ, version and end are of an event, and of what was skipped; version
	// also of a list that has been read.
	typ     watch.EventType
	version string
	end     bool
	// lost: what was skipped has left the store with something wrong.
	lost bool
	// early: a watch has ended before the time that was asked for.
	early bool

	// failure and dice (0 <= dice < 1, for the wait) are of failed and ended.
	failure failure
	dice    float64

	// trouble, of start and due, is why the source cannot stream its state.
	trouble string
}

type inputKind uint8

const (
	start    inputKind = iota + 1 // Run or ListAndWatch was called
	due                           // the wait is over
	answered                      // the source has accepted a watch
	event                         // one has come
	skipped                       // one has come, or an item of a list, that cannot be decoded
	checked                       // the source has not been set back behind version
	listed                        // a list has been read to its end
	replaced                      // the store has taken the initial state
	ended                         // a watch has ended as watches do
	silent                        // nothing has come for as long as that may last
	failed                        // something has gone wrong
	stop                          // the context is done
)

var inputNames = [...]string{"", "start", "due", "answered", "event", "skipped", "checked", "listed", "replaced", "ended", "silent", "failed", "stop"}

// An outcome is what is to be done with an input.
type outcome struct {
	stage   stage
	verdict verdict
	// refused: the input has no meaning in the stage.
	refused bool
	// report is for the WatchErrorHandler.
	report *Error
	// remember is why the source cannot stream its initial state: for those
	// who come after.
	remember string
}

// verdict is what becomes of what has come.
type verdict uint8

const (
	// drop: nothing.
	drop verdict = iota
	// pass: it goes to the store.
	pass
	// hold: it goes to the store when that has the initial state.
	hold
	// end: the initial state is whole.
	end
	// mark: the store is told of its version.
	mark
)

var verdictNames = [...]string{"drop", "pass", "hold", "end", "mark"}

// String is the input as a line of a transcript, without its time.
func (in input) String() string {
	words := []string{inputNames[in.kind]}
	switch in.kind {
	case event, skipped:
		if in.typ != "" {
			words = append(words, string(in.typ))
		}
		words = append(words, "version="+quoted(in.version))
		if in.end {
			words = append(words, "end")
		}
		if in.lost {
			words = append(words, "lost")
		}
	case ended:
		if in.early {
			words = append(words, "early")
		}
	case listed:
		words = append(words, "version="+quoted(in.version))
	case start, due:
		if in.trouble != "" {
			words = append(words, "trouble="+quoted(in.trouble))
		}
	}
	if in.failure.reason != "" {
		words = append(words, "reason="+quoted(string(in.failure.reason)))
	}
	if in.failure.retryAfter > 0 {
		words = append(words, "retry-after="+in.failure.retryAfter.String())
	}
	if in.failure.err != nil {
		words = append(words, "error="+quoted(in.failure.err.Error()))
	}
	if in.dice > 0 {
		words = append(words, "dice="+strconv.FormatFloat(in.dice, 'g', -1, 64))
	}
	return strings.Join(words, " ")
}

// quoted is a value of a transcript: in quotes where it would not be one word.
func quoted(s string) string {
	if s == "" || strings.ContainsAny(s, " \"'=()\n\t\\") || strconv.Quote(s) != `"`+s+`"` {
		return strconv.Quote(s)
	}
	return s
}

// String is the outcome as a line of a transcript.
func (out outcome) String() string {
	words := []string{out.stage.String()}
	if out.refused {
		words = append(words, "refused")
	}
	if out.verdict != drop {
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
