package process

import (
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"

	"github.com/thinformer/thinformer/learn/internal/judge"
)

// crashLine is the first line of a panic or of an error of the runtime.
var crashLine = regexp.MustCompile(`(?m)^(?:panic|fatal error|runtime): .*$`)

// crash says why the program ended during a check.
func crash(exit error, output string) string {
	lines := crashLine.FindAllStringIndex(output, -1)
	var exited *exec.ExitError
	switch {
	case len(lines) > 0 && strings.Contains(output, "\ngoroutine "):
		// The text of a panic may have lines that look like another one.
		line := output[lines[0][0]:lines[0][1]]
		if i := strings.Index(output, "\nfatal error: "); i >= 0 {
			line, _, _ = strings.Cut(output[i+1:], "\n")
		}
		return describePanic(line, output[lines[0][0]:])
	case exit == nil:
		return "the program ends with exit code 0: the solution calls os.Exit"
	case errors.As(exit, &exited) && exited.ExitCode() >= 0:
		return fmt.Sprintf("the program ends with exit code %d: the solution calls os.Exit or log.Fatal", exited.ExitCode())
	}
	return fmt.Sprintf("the program is killed: %v", exit)
}

// longestPanic is the number of characters of a panic that are shown.
const longestPanic = 300

func describePanic(line, dump string) string {
	line = strings.TrimSuffix(line, " [recovered, repanicked]")
	if shown := []rune(line); len(shown) > longestPanic {
		line = string(shown[:longestPanic]) + "..."
	}
	what := "the solution ends the program with a " + line
	if text, fatal := strings.CutPrefix(line, "fatal error: "); fatal {
		what = "the runtime ends the program: " + text
	} else if text, panics := strings.CutPrefix(line, "panic: "); panics {
		what = "a goroutine of the solution panics: " + text
	}
	_, goroutines, _ := strings.Cut(dump, "\n\n")
	for _, goroutine := range strings.Split(goroutines, "\n\n") {
		if at := judge.PositionIn(goroutine); at != "" {
			return what + " in " + at
		}
	}
	return what
}
