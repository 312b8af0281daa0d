package transcript

import (
	"fmt"
	"regexp"
	"strings"
)

const dashes = "----"

var (
	limitLine = regexp.MustCompile(`^---- limit=([a-z0-9-]+)$`)
	watchLine = regexp.MustCompile(`^(WATCH|EVENTS|STOP) ([a-z0-9]+)(?: (.+))?$`)
	verbLine  = regexp.MustCompile(`^([A-Z]+) (.+)$`)
	readCount = regexp.MustCompile(`^([1-9][0-9]{0,2}|end)$`)
)

// optionNames are the known options, and whether each takes values.
var optionNames = map[string]bool{
	"as": true, "headers": true, "managed": false, "bookmarks": false,
	"retry": true, "save": true, "show": true,
}

// Parse parses a script.
func Parse(name, text string) (*Script, error) {
	if strings.ContainsAny(text, "\r\x00") {
		return nil, fmt.Errorf("%s: contains a carriage return or a zero byte", name)
	}
	r := &reader{name: name, lines: strings.Split(strings.TrimRight(text, "\n"), "\n")}
	script := &Script{Name: name}
	for r.skipBlank(); r.more(); r.skipBlank() {
		part, err := r.section()
		if err != nil {
			return nil, err
		}
		if part.exchange != nil {
			script.Exchanges = append(script.Exchanges, part.exchange)
		}
		script.sections = append(script.sections, part)
	}
	return script, nil
}

// reader reads a file line by line.
type reader struct {
	name  string
	lines []string
	at    int
}

func (r *reader) more() bool   { return r.at < len(r.lines) }
func (r *reader) line() string { return r.lines[r.at] }

func (r *reader) skipBlank() {
	for r.more() && strings.TrimSpace(r.line()) == "" {
		r.at++
	}
}

func (r *reader) errorf(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", r.name, line+1, fmt.Sprintf(format, args...))
}

// takePrefixed takes the lines that begin with the mark, and returns them without
// it.
func (r *reader) takePrefixed(mark string) (taken []string) {
	for r.more() && strings.HasPrefix(r.line(), mark) {
		taken = append(taken, strings.TrimSpace(strings.TrimPrefix(r.line(), mark)))
		r.at++
	}
	return taken
}

// section reads the next exchange, or prose up to a blank line.
func (r *reader) section() (section, error) {
	start := r.at
	comment := r.takePrefixed("#")
	if !r.more() || strings.TrimSpace(r.line()) == "" {
		return section{prose: strings.Join(r.lines[start:r.at], "\n") + "\n"}, nil
	}
	e := &Exchange{Line: r.at + 1, Comment: strings.Join(comment, " ")}
	if err := r.command(e); err != nil {
		return section{}, err
	}
	if err := r.headersAndOptions(e); err != nil {
		return section{}, err
	}
	body := r.at
	for r.more() && r.line() != dashes {
		r.at++
	}
	if !r.more() {
		return section{}, r.errorf(e.Line-1, "missing %s after the request", dashes)
	}
	e.body = strings.Join(r.lines[body:r.at], "\n")
	e.request = strings.Join(r.lines[start:r.at], "\n") + "\n"
	r.at++
	return section{exchange: e}, r.answers(e)
}

// command parses the command line.
func (r *reader) command(e *Exchange) error {
	line := r.line()
	r.at++
	if m := watchLine.FindStringSubmatch(line); m != nil {
		e.Verb, e.Watch, e.Target = m[1], m[2], m[3]
		if e.Verb == "EVENTS" && !readCount.MatchString(e.Target) {
			return r.errorf(e.Line-1, "EVENTS needs a name and a number, or end: %q", line)
		}
	} else if line == "COMPACT" {
		e.Verb = line
		return nil
	} else if m := verbLine.FindStringSubmatch(line); m != nil {
		e.Verb, e.Target = m[1], m[2]
	} else {
		return r.errorf(e.Line-1, "not a command: %q", line)
	}
	if needsPath := e.Verb != "EVENTS" && e.Verb != "STOP"; needsPath != strings.HasPrefix(e.Target, "/") {
		return r.errorf(e.Line-1, "%s: the path is %q", e.Verb, e.Target)
	}
	if e.Verb == "STOP" && e.Target != "" {
		return r.errorf(e.Line-1, "STOP takes only a name: %q", line)
	}
	return nil
}

// headersAndOptions reads headers and options, in any order.
func (r *reader) headersAndOptions(e *Exchange) error {
	e.options = map[string][]string{}
	for r.more() {
		at := r.at
		if headers := r.takePrefixed("> "); headers != nil {
			for i, header := range headers {
				if key, _, ok := strings.Cut(header, ": "); !ok || key == "" {
					return r.errorf(at+i, "not a header: %q", header)
				}
			}
			e.headers = append(e.headers, headers...)
			continue
		}
		options := r.takePrefixed(": ")
		if options == nil {
			return nil
		}
		for i, option := range options {
			words := strings.Fields(option)
			if len(words) == 0 {
				return r.errorf(at+i, "option without a name")
			}
			takes, known := optionNames[words[0]]
			if !known || takes != (len(words) > 1) || e.has(words[0]) {
				return r.errorf(at+i, "unknown option, wrong values, or duplicate: %q", option)
			}
			e.options[words[0]] = words[1:]
		}
	}
	return nil
}

// answers reads one answer, or two, of which the second names a limit.
func (r *reader) answers(e *Exchange) error {
	e.Want = r.answer()
	if !r.more() || !strings.HasPrefix(r.line(), dashes) {
		return nil
	}
	m := limitLine.FindStringSubmatch(r.line())
	if m == nil {
		return r.errorf(r.at, "want a blank line or %s limit=name: %q", dashes, r.line())
	}
	r.at++
	e.Limit, e.Ours = m[1], r.answer()
	if r.more() && strings.HasPrefix(r.line(), dashes) {
		return r.errorf(r.at, "unexpected third answer")
	}
	return nil
}

func (r *reader) answer() string {
	start := r.at
	for r.more() && strings.TrimSpace(r.line()) != "" && !strings.HasPrefix(r.line(), dashes) {
		r.at++
	}
	return joinLines(r.lines[start:r.at])
}

func joinLines(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}
