package transcript

import (
	"fmt"
	"slices"
	"strings"
)

// A Script is a parsed file.
type Script struct {
	// Name is the file's, for messages.
	Name string
	// Exchanges in the order in which they are played.
	Exchanges []*Exchange
	// parts is the file from top to bottom.
	parts []part
}

// part is an exchange, or the prose between two.
type part struct {
	prose    string
	exchange *Exchange
}

// An Exchange is one command and what was answered.
type Exchange struct {
	// Line is where it begins.
	Line int
	// Comment names the convention that it holds, without the marks.
	Comment string
	// Verb is an HTTP method, or SEED, WATCH, EVENTS, STOP, COMPACT.
	Verb string
	// Watch is the name of the watch that WATCH, EVENTS and STOP are about.
	Watch string
	// Target is the path with its query, or how many EVENTS are read.
	Target string
	// Want is what the real server answers.
	Want string
	// Limit is the name of the stated limit by which the server under test
	// differs, if it does, and then Ours is what that one answers.
	Limit, Ours string

	headers []string
	options map[string][]string
	body    string
	// request is the text from the comment to the dashes, kept as written.
	request string
}

// IsRequest is whether it counts as an exchange with the server, and not as
// the stage for one.
func (e *Exchange) IsRequest() bool {
	return e.Verb != "SEED" && e.Verb != "STOP" && e.Verb != "COMPACT"
}

// command is what is done, as the file says it.
func (e *Exchange) command() string {
	return strings.Join(slices.DeleteFunc([]string{e.Verb, e.Watch, e.Target}, func(word string) bool { return word == "" }), " ")
}

// has is whether the option was given.
func (e *Exchange) has(option string) bool { _, ok := e.options[option]; return ok }

// wanted is the answer that the file expects.
func (e *Exchange) wanted(real bool) string {
	if e.Limit != "" && !real {
		return e.Ours
	}
	return e.Want
}

// Diff says for each exchange that was answered otherwise than the file says
// what was wanted and what came. The real server is held to the answers
// proper, another one to those of its stated limits where there are such.
func (s *Script) Diff(answers []string, real bool) (differences []string) {
	for i, exchange := range s.Exchanges {
		if i >= len(answers) {
			return append(differences, fmt.Sprintf("%s:%d: not played", s.Name, exchange.Line))
		}
		if want := exchange.wanted(real); want != answers[i] {
			differences = append(differences, fmt.Sprintf("%s:%d: %s\n%s\nwant:\n%sgot:\n%s",
				s.Name, exchange.Line, exchange.Comment, exchange.command(), indented(want), indented(answers[i])))
		}
	}
	return differences
}

func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("    " + line)
	}
	return b.String()
}

// Record makes the answers the file's: those of the real server proper, or
// those of the stated limits.
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

// Format is the text of the file.
func (s *Script) Format() string {
	texts := make([]string, 0, len(s.parts))
	for _, part := range s.parts {
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
