package process

import (
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"

	"github.com/thinformer/thinformer/learn/internal/record"
)

// crashLine is the first line of a panic or of an error of the runtime.
var crashLine = regexp.MustCompile(`(?m)^(?:panic|fatal error|runtime): .*$`)

// crash says why the program ended during a check, and returns what was printed before.
func crash(exit error, output string) (reason, printed string) {
	var exited *exec.ExitError
	first := crashLine.FindStringIndex(output)
	switch {
	case first != nil && strings.Contains(output[first[0]:], "\ngoroutine "):
		line := output[first[0]:first[1]]
		// Errors of the runtime have other lines before this one.
		if i := strings.Index(output, "\nfatal error: "); i >= 0 {
			line, _, _ = strings.Cut(output[i+1:], "\n")
		}
		return describePanic(line, output[first[0]:]), output[:first[0]]
	case exit == nil:
		return "the program ends with exit code 0: the solution calls os.Exit", output
	case errors.As(exit, &exited) && exited.ExitCode() >= 0:
		return fmt.Sprintf("the program ends with exit code %d: the solution calls os.Exit or log.Fatal", exited.ExitCode()), output
	}
	return fmt.Sprintf("the program is killed: %v", exit), output
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
	for _, goroutine := range strings.Split(dump, "\n\n") {
		if at := record.PositionIn(goroutine); at != "" {
			return what + " in " + at
		}
	}
	return what
}
