package transcript

import (
	"fmt"
	"slices"
	"strings"
)

// A Script is a parsed file.
type Script struct {
	// Name is the file's name, for messages.
	Name string
	// Exchanges in the order in which they are run.
	Exchanges []*Exchange
	// sections is the file from top to bottom.
	sections []section
}

// section is an exchange, or the prose between two exchanges.
type section struct {
	prose    string
	exchange *Exchange
}

// An Exchange is one command and its answer.
type Exchange struct {
	// Line is the line of its command.
	Line int
	// Comment names the convention that it tests, without the marks.
	Comment string
	// Verb is an HTTP method, or SEED, WATCH, EVENTS, STOP, COMPACT.
	Verb string
	// Watch is the name of the watch of WATCH, EVENTS and STOP.
	Watch string
	// Target is the path with its query, or the number of events to read.
	Target string
	// Want is the answer of the real server.
	Want string
	// Limit is the documented limit by which the server under test differs, "" if it
	// does not. Ours is the answer of that server then.
	Limit, Ours string

	headers []string
	options map[string][]string
	body    string
	// request is the text from the comment to the dashes, kept as written.
	request string
}

// IsRequest reports whether the exchange counts as a request, rather than as a part
// of its setup.
func (e *Exchange) IsRequest() bool {
	return e.Verb != "SEED" && e.Verb != "STOP" && e.Verb != "COMPACT"
}

// command returns the command line.
func (e *Exchange) command() string {
	return strings.Join(slices.DeleteFunc([]string{e.Verb, e.Watch, e.Target}, func(word string) bool { return word == "" }), " ")
}

// has reports whether the option is set.
func (e *Exchange) has(option string) bool { _, ok := e.options[option]; return ok }

// expected returns the answer that the file expects.
func (e *Exchange) expected(real bool) string {
	if e.Limit != "" && !real {
		return e.Ours
	}
	return e.Want
}

// Diff describes each exchange whose answer differs from the file. For the real
// server, the file's main answers are expected; for another server, those of its
// documented limits, where there are any.
func (s *Script) Diff(answers []string, real bool) (differences []string) {
	for i, exchange := range s.Exchanges {
		if i >= len(answers) {
			return append(differences, fmt.Sprintf("%s:%d: not run", s.Name, exchange.Line))
		}
		if want := exchange.expected(real); want != answers[i] {
			differences = append(differences, fmt.Sprintf("%s:%d: %s\n%s\nwant:\n%sgot:\n%s",
				s.Name, exchange.Line, exchange.Comment, exchange.command(), indent(want), indent(answers[i])))
		}
	}
	return differences
}

func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("    " + line)
	}
	return b.String()
}

// Record replaces the answers of the script: the main ones by those of the real
// server, or those of the documented limits.
func (s *Script) Record(answers []string, real bool) {
	for i, exchange := range s.Exchanges {
		switch {
		case i >= len(answers):
		case real:
			exchange.Want = answers[i]
		case exchange.Limit != "":
			exchange.Ours = answers[i]
		}
	}
}

// Format returns the text of the file.
func (s *Script) Format() string {
	texts := make([]string, 0, len(s.sections))
	for _, part := range s.sections {
		if part.exchange == nil {
			texts = append(texts, part.prose)
			continue
		}
		e := part.exchange
		text := e.request + dashes + "\n" + e.Want
		if e.Limit != "" {
			text += dashes + " limit=" + e.Limit + "\n" + e.Ours
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n")
}
