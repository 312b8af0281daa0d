package process

import (
	"errors"
	"strings"
	"testing"
)

func TestCrash(t *testing.T) {
	const dump = "\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:5 +0x1\n"
	long := strings.Repeat("长", 2*longestPanic)
	for _, c := range []struct{ output, reason, printed string }{
		{"text\npanic: oh" + dump, "a goroutine of the solution panics: oh", "text\n"},
		{"panic: oh [recovered, repanicked]" + dump, "a goroutine of the solution panics: oh", ""},
		{"panic: " + long + dump, "a goroutine of the solution panics: " + long[:len("长")*(longestPanic-len("panic: "))] + "...", ""},
		{"fatal error: all goroutines are asleep - deadlock!" + dump, "the runtime ends the program: all goroutines are asleep - deadlock!", ""},
		{"runtime: goroutine stack exceeds a limit\nfatal error: stack overflow" + dump, "the runtime ends the program: stack overflow", ""},
		// The solution prints such a line and exits.
		{"panic: no\n", "the program is killed: signal", "panic: no\n"},
	} {
		if reason, printed := crash(errors.New("signal"), c.output); reason != c.reason || printed != c.printed {
			t.Errorf("crash with the output %q returns %q, %q; want %q, %q", c.output, reason, printed, c.reason, c.printed)
		}
	}
}
