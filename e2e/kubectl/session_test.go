package kubectl

import (
	"fmt"
	"regexp"
	"strings"
)

// session is a file with steps.
type session struct {
	file  string
	steps []*step
}

// step is a command and its output, with the comments and blank lines before it.
type step struct {
	before  string
	command string
	line    int // of the command in the file
	real    string
	// limit is the name of the limit by which apitest prints ours instead of real; "" if
	// there is none.
	limit, ours string
}

var limitLine = regexp.MustCompile(`^---- limit=([a-z0-9-]+)$`)

// parse reads a file in the format of the package comment. Output may contain blank lines.
// It ends at a line that begins like a command or a comment.
func parse(file, text string) (*session, error) {
	s := &session{file: file}
	var before []string
	var at *step
	var printed *[]string
	answers := map[*step]*[2][]string{}
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		command, isCommand := strings.CutPrefix(line, "$ ")
		more, goesOn := strings.CutPrefix(line, ">")
		limit := limitLine.FindStringSubmatch(line)
		switch {
		case isCommand:
			at = &step{before: joined(before), command: command, line: i + 1}
			s.steps = append(s.steps, at)
			answers[at] = new([2][]string)
			before, printed = nil, &answers[at][0]
		case strings.HasPrefix(line, "# ") || at == nil:
			if line != "" && !strings.HasPrefix(line, "#") {
				return nil, fmt.Errorf("%s:%d: want a command or a comment: %q", file, i+1, line)
			}
			before, at = append(before, line), nil
		case goesOn && printed == &answers[at][0] && len(*printed) == 0:
			at.command += "\n" + strings.TrimPrefix(more, " ")
		case limit != nil && at.limit == "":
			at.limit, printed = limit[1], &answers[at][1]
		default:
			*printed = append(*printed, line)
		}
	}
	if len(s.steps) == 0 {
		return nil, fmt.Errorf("%s: no commands", file)
	}
	for step, printed := range answers {
		step.real, step.ours = trimmed(joined(printed[0])), trimmed(joined(printed[1]))
	}
	return s, nil
}

func joined(lines []string) (text string) {
	for _, line := range lines {
		text += line + "\n"
	}
	return text
}

// trimmed removes the blank lines at the end, which separate steps.
func trimmed(text string) string {
	if text = strings.TrimRight(text, "\n"); text == "" {
		return ""
	}
	return text + "\n"
}

// format returns the file of a session.
func (s *session) format() string {
	var text strings.Builder
	for i, step := range s.steps {
		if i > 0 {
			text.WriteString("\n")
		}
		text.WriteString(step.before)
		for i, line := range strings.Split(step.command, "\n") {
			text.WriteString(strings.TrimRight([]string{"$ ", "> "}[min(i, 1)]+line, " ") + "\n")
		}
		text.WriteString(step.real)
		if step.limit != "" {
			text.WriteString("---- limit=" + step.limit + "\n" + step.ours)
		}
	}
	return text.String()
}

// expected returns the output of the step with a server.
func (s *step) expected(real bool) string {
	if s.limit != "" && !real {
		return s.ours
	}
	return s.real
}
