package kubectl

import (
	"os"
	"strings"
	"testing"
)

const example = `# A comment without a command.

# Says what it is.
$ kubectl get a - <<END
> b
>
> c
> END
one

two
---- limit=columns
uno

$ true

# Fails.
$ false
exit status 1
`

func TestSessionIsReadAsItIsWritten(t *testing.T) {
	s, err := parse("example", example)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.format(); got != example {
		t.Errorf("written as:\n%s", got)
	}
	for i, want := range []step{
		{line: 4, command: "kubectl get a - <<END\nb\n\nc\nEND", real: "one\n\ntwo\n", limit: "columns", ours: "uno\n"},
		{line: 15, command: "true"},
		{line: 18, command: "false", real: "exit status 1\n"},
	} {
		got := *s.steps[i]
		if got.before = ""; got != want {
			t.Errorf("step %d is %+v", i, got)
		}
	}
	first := s.steps[0]
	if first.expected(true) != first.real || first.expected(false) != first.ours {
		t.Error("a limit does not apply to apitest only")
	}
}

func TestInvalidSessionIsRejected(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "x: no commands",
		"# only a comment":         "x: no commands",
		"output without a command": "x:1: want a command or a comment",
		"# a comment\nprinted":     "x:2: want a command or a comment",
	} {
		if _, err := parse("x", text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestVaryingTextIsReplaced(t *testing.T) {
	s := shell{dir: "/tmp/here"}
	for text, want := range map[string]string{
		"web    1      3s":              "web    1   <age>",
		"web    1      2m10s   app=web": "web    1   <age>   app=web",
		"3s":                            "3s",
		`  resourceVersion: "17"`:       `  resourceVersion: "<version>"`,
		"creationTimestamp: 2026-01-02T03:04:05Z":    "creationTimestamp: <time>",
		"uid: 0a1b2c3d-0000-4000-8000-00000000000f":  "uid: <uid>",
		"dial https://127.0.0.1:6443/api":            "dial <server>/api",
		`Context "admin" modified.`:                  `Context "<context>" modified.`,
		"on 127.0.0.1:8001":                          "on <address>",
		"/tmp/here/tmp/kubectl-edit-123.yaml":        "<dir>/tmp/kubectl-edit-<number>.yaml",
		"E1121 19:26:19.618238   19699 run.go:72] x": "E run.go] x",
	} {
		if got := s.normalized(text); got != want {
			t.Errorf("%q is %q", text, got)
		}
	}
}

// Every limit in a session is in apitest's package comment, and the outputs differ.
func TestLimitsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../apitest/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sessions(t) {
		for _, step := range s.steps {
			if step.limit == "" {
				continue
			}
			if !strings.Contains(string(doc), "//   - "+step.limit+": ") {
				t.Errorf("%s:%d: the package comment of apitest has no limit %q", s.file, step.line, step.limit)
			}
			if step.ours == step.real {
				t.Errorf("%s:%d: the outputs do not differ", s.file, step.line)
			}
		}
	}
}
