package transcript

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const whole = `# What the file is about.

# The convention that it holds,
# in two lines.
POST /api/v1/namespaces/<ns>/configmaps?dryRun=All
> Content-Type: application/json
: show metadata.name code
: as nobody
{"metadata": {

  "name": "a"}}
----
201 Created
{"metadata": {"name": "a"}}
---- limit=not-yet
403 Forbidden

# Nothing is wanted yet.
EVENTS w 3
----
`

func TestFormatEqualsInput(t *testing.T) {
	script, err := Parse("whole.txt", whole)
	require.NoError(t, err)
	require.Equal(t, whole, script.Format())
	require.Len(t, script.Exchanges, 2)
	require.Equal(t, "not-yet", script.Exchanges[0].Limit)

	e := script.Exchanges[0]
	require.Equal(t, 5, e.Line)
	require.Equal(t, "The convention that it holds, in two lines.", e.Comment)
	require.Equal(t, "POST", e.Verb)
	require.Equal(t, []string{"Content-Type: application/json"}, e.headers)
	require.Equal(t, map[string][]string{"show": {"metadata.name", "code"}, "as": {"nobody"}}, e.options)
	require.Equal(t, "{\"metadata\": {\n\n  \"name\": \"a\"}}", e.body)
	require.Equal(t, "201 Created\n{\"metadata\": {\"name\": \"a\"}}\n", e.expected(true))
	require.Equal(t, "403 Forbidden\n", e.expected(false))
	require.Equal(t, "w", script.Exchanges[1].Watch)
	require.Equal(t, "3", script.Exchanges[1].Target)
}

func TestDiff(t *testing.T) {
	script, err := Parse("whole.txt", whole)
	require.NoError(t, err)
	real, ours := []string{script.Exchanges[0].Want, ""}, []string{script.Exchanges[0].Ours, ""}

	require.Empty(t, script.Diff(real, true))
	require.Empty(t, script.Diff(ours, false))
	require.Len(t, script.Diff(real, false), 1)
	require.Len(t, script.Diff(ours, true), 1)
	require.Contains(t, script.Diff(ours, true)[0], "whole.txt:5: The convention")
	require.Contains(t, script.Diff([]string{script.Exchanges[0].Want, "ADDED {}\n"}, true)[0], "whole.txt:19: Nothing is wanted yet.\nEVENTS w 3\nwant:\ngot:\n    ADDED {}\n")
	require.Contains(t, script.Diff(real[:1], true)[0], "whole.txt:19: not run")
}

func TestRecordChangesOnlyAnswers(t *testing.T) {
	script, err := Parse("whole.txt", whole)
	require.NoError(t, err)
	script.Record([]string{"200 OK\n", "ADDED {}\n"}, true)
	script.Record([]string{"500 Internal Server Error\n", "DELETED {}\n"}, false)

	want := strings.NewReplacer("201 Created\n{\"metadata\": {\"name\": \"a\"}}\n", "200 OK\n", "403 Forbidden", "500 Internal Server Error").Replace(whole) + "ADDED {}\n"
	require.Equal(t, want, script.Format())
}

func TestInvalidScriptsAreRejected(t *testing.T) {
	for text, complaint := range map[string]string{
		"get /a\n----\n":                             `x:1: not a command: "get /a"`,
		"# c\nGET a\n----\n":                         `x:2: GET: the path is "a"`,
		"GET /a\n":                                   "x:1: missing ---- after the request",
		"GET /a\n> Accept\n----\n":                   `x:2: not a header: "Accept"`,
		"GET /a\n: wait 3\n----\n":                   `x:2: unknown option`,
		"GET /a\n: show\n----\n":                     `x:2: unknown option, wrong values`,
		"GET /a\n: managed yes\n----\n":              `x:2: unknown option, wrong values`,
		"GET /a\n: as a\n: as b\n----\n":             `x:3: unknown option, wrong values, or duplicate`,
		"EVENTS w\n----\n":                           `x:1: EVENTS needs a name and a number, or end`,
		"EVENTS w 0\n----\n":                         `x:1: EVENTS needs a name and a number, or end`,
		"STOP w now\n----\n":                         `x:1: STOP takes only a name`,
		"WATCH w\n----\n":                            `x:1: WATCH: the path is ""`,
		"GET /a\n----\n200\n---- why\n":              `x:4: want a blank line or ---- limit=name: "---- why"`,
		"GET /a\n----\n---- limit=a\n---- limit=b\n": `x:4: unexpected third answer`,
		"GET /a\r\n----\n":                           "carriage return",
	} {
		_, err := Parse("x", text)
		require.ErrorContains(t, err, complaint, text)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(whole)
	f.Add("GET /a\n: \n> \n----\n----")
	f.Add("# only prose")
	f.Add("STOP w\n----\n\n\n\nSEED /x\n{}\n{}\n----\n201 201")
	f.Fuzz(func(t *testing.T, text string) {
		script, err := Parse("fuzz", text)
		if err != nil {
			return
		}
		written := script.Format()
		again, err := Parse("fuzz", written)
		if err != nil {
			t.Fatalf("what Format writes does not parse: %v\n%q", err, written)
		}
		if again.Format() != written || len(again.Exchanges) != len(script.Exchanges) {
			t.Fatalf("read again it is another script:\n%q\n%q", written, again.Format())
		}
	})
}
