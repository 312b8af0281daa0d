package main

import (
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var placeholder = regexp.MustCompile(`\{\w+\}`)

// Every code has a text with the same values in both languages of the page, and the
// English one is that of the program. The page has no other codes.
func TestReplyTexts(t *testing.T) {
	require.Equal(t, replies, answersIn(t, "page/english.js"))
	translated := answersIn(t, "page/chinese.js")
	require.Len(t, translated, len(replies))
	for code, text := range replies {
		require.NotEmpty(t, translated[code], code)
		require.ElementsMatch(t, placeholder.FindAllString(text, -1), placeholder.FindAllString(translated[code], -1), code)
	}
}

// answersIn returns the texts of codes in a file.
func answersIn(t *testing.T, file string) map[string]string {
	t.Helper()
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	texts := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^  "answer\.(\w+)": (".*"),$`).FindAllStringSubmatch(string(source), -1) {
		var text string
		require.NoError(t, json.Unmarshal([]byte(line[2]), &text), line[0])
		texts[line[1]] = text
	}
	return texts
}

// Every code that the program uses exists, with all values.
func TestReplyCodes(t *testing.T) {
	use := regexp.MustCompile(`\b(?:say\(|fail\(\S+, )"(\w+)"(.*)`)
	used := map[string]bool{"readOnly": true, "cluster": true} // those of unavailable
	for _, name := range []string{"controls.go", "control_faults.go", "control_objects.go"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, call := range use.FindAllStringSubmatch(string(text), -1) {
			code := call[1]
			used[code] = true
			require.Contains(t, replies, code, call[0])
			for _, value := range placeholder.FindAllString(replies[code], -1) {
				require.Contains(t, call[2], `"`+strings.Trim(value, "{}")+`"`, call[0])
			}
		}
	}
	require.Len(t, used, len(replies))
}

// The values are in the text, also those that look like a name in braces.
func TestReplyString(t *testing.T) {
	require.Equal(t, "{version} is created, version 7", say("created", "key", "{version}", "version", 7).String())
	require.Equal(t, "no watch is open", errNoWatch.Error())
	require.Empty(t, reply{}.String())
}

// The reply of a failure is found in a wrapped error, and its cause remains visible.
func TestFailure(t *testing.T) {
	refused := errors.New("refused")
	err := errors.Join(fail(refused, "burstFailed", "count", 3, "error", refused))
	require.ErrorIs(t, err, refused)
	require.Equal(t, "burstFailed", replyOf(err).code)
	require.Equal(t, "after 3 changes: refused", err.Error())
	require.Empty(t, replyOf(refused).code)
}

// Answers and records have the code and the values.
func TestReplyIsSent(t *testing.T) {
	withProgram(t, 1, func(t *testing.T, f *fixture) {
		before := f.newest()
		answer := decode[Answer](t, f.request("POST", "/control/delete", `{"name": "absent"}`, asJSON).Body)
		require.Equal(t, Answer{Message: `there is no object "absent" in the store`, Code: "noObject", Values: map[string]string{"name": "absent"}}, answer)
		used := f.since(before)[0]
		require.Equal(t, "noObject", used.Code)
		require.Equal(t, answer.Values, used.Values)
		require.Equal(t, answer.Message, used.Text)
		answer = decode[Answer](t, f.request("POST", "/control/create", `{"name": "item-0001"}`, asJSON).Body)
		require.Empty(t, answer.Code, "a text of the server")
		require.Contains(t, answer.Message, "already exists")
	})
}
