package sourcetree_test

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

	"github.com/thinformer/thinformer/internal/sourcetree"
)

// bannedWords are metaphors that earlier versions of this repository used for parts
// of the program. Plurals are listed if the tree has had them. CONTRIBUTING.md has the
// guide. Each line has words, or sequences of words, and what to write instead.
var bannedWords = wordList(`
bakery, bazaar, market, outpost, shutter, sight: the name of the thing
bequeath, bequeathed: take, save or restore
board: page or table
born in, born with: created in, created with
buried: removed
candidacy: campaign
diary: transcript or log
disturbance: failure or fault
door, doors: listener or entry
ear, ears: handler or watcher
goes home, go home, going home: returns or ends
guest, guests: connection or client
habit, habits: behaviour
hear, hears, heard, unheard: receive
herald: notifier
house: module or repository
lane, lanes: delay or queue
last words: last state
lent: shared or borrowed
lively: with events
patiently: with a timeout
reign, reigns: term or leadership
remedy, remedies: hint
room, rooms: package, layer or space
rouse, roused: wake
scene, scenes: case or scenario
shelf, shelves: map or list
stands, stood: is
stand still, standing still: stop or block
story, stories, tale, tales: history or scenario
timepiece: clock
told: notified, reported or configured
trouble, troubles: failure or error
twin, twins: reference or model
unkept: dropped
untitled: without a name
vouch, vouched, vouches: confirm
witness, witnesses: check
`)

// bannedInGo are words for persons. In Go files they have always stood for code,
// values or goroutines.
var bannedInGo = wordList(`
anybody, everybody, somebody, someone: a client, caller or user
nobody: nothing
who, whoever, whom: the name of the thing
`)

// wordList returns what to write instead of each word of a list.
func wordList(lines string) map[string]string {
	instead := map[string]string{}
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		words, replacement, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for word := range strings.SplitSeq(words, ", ") {
			instead[word] = replacement
		}
	}
	return instead
}

// legalPhrases are uses of banned words that are plain English.
var legalPhrases = map[string]bool{"room for": true, "stands for": true}

// bannedStart matches the beginning of a sentence without a clear subject. Questions
// may begin so, and the comment of a function that is called Of.
var bannedStart = regexp.MustCompile(`(?:^|[^\w.])(What is|Those that|One that|Of) [a-z][^?]*$`)

var functionOf = regexp.MustCompile(`(?m)^func Of[\[(]`)

// allowedWord is a use of a banned word. It applies to the lines that contain the
// text, in a file or in a folder.
type allowedWord struct{ file, line, reason string }

var allowedWords = []allowedWord{
	{"CHANGELOG.md", "WatchListTrouble", "an old name in the table of renames"},
	{"internal/transcript", "nobody", "the name of the user without permissions"},
	{"apitest/transcript_test.go", "nobody", "the same user"},
	{"e2e", "nobody", "the same user"},
}

const mostAllowedWords = 20

// wordFinding is a banned word in a line of a file.
type wordFinding struct {
	file, text, word, instead string
	line                      int
}

func (f wordFinding) String() string {
	return fmt.Sprintf("%s:%d: the word %q: write %s", f.file, f.line, f.word, f.instead)
}

// bannedIn returns the banned words in the text of a file.
func bannedIn(file, text string) (found []wordFinding) {
	inGo := path.Ext(file) == ".go"
	lines := strings.Split(text, "\n")
	last := ""
	for i, line := range lines {
		words := wordsOf(line)
		for j, word := range words {
			if j+1 < len(words) && legalPhrases[word+" "+words[j+1]] {
				continue
			}
			for _, phrase := range []string{word, last + " " + word} {
				instead, banned := bannedWords[phrase]
				if !banned && inGo {
					instead, banned = bannedInGo[phrase]
				}
				if banned {
					found = append(found, wordFinding{file: file, text: line, word: phrase, instead: instead, line: i + 1})
				}
			}
			last = word
		}
		start := bannedStart.FindStringSubmatch(line)
		if start != nil && (inGo && !functionOf.MatchString(text) || path.Ext(file) == ".md") {
			found = append(found, wordFinding{file: file, text: line, word: start[1], instead: "a sentence that begins with its subject", line: i + 1})
		}
	}
	return found
}

// wordsOf returns the words of a line in lower case. An identifier is split where an
// upper case letter begins a word: the words of parseHTTPRoute are parse, http and
// route.
func wordsOf(line string) (words []string) {
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = nil
		}
	}
	letters := []rune(line)
	for i, letter := range letters {
		if !unicode.IsLetter(letter) {
			end()
			continue
		}
		if unicode.IsUpper(letter) && len(word) > 0 {
			nextIsLower := i+1 < len(letters) && unicode.IsLower(letters[i+1])
			if unicode.IsLower(word[len(word)-1]) || nextIsLower {
				end()
			}
		}
		word = append(word, letter)
	}
	end()
	return words
}

// notOurWords reports whether the text of a file is not written for this repository:
// generated or recorded objects, and pages in Chinese. It includes the files that list
// the banned words.
func notOurWords(name string) bool {
	switch {
	case strings.Contains(name, "/testdata/objects/"), strings.Contains(name, "/testdata/fuzz/"):
		return true
	case path.Base(path.Dir(name)) == "zh", strings.HasSuffix(name, ".zh.md"):
		return true
	case name == "internal/sourcetree/plainwords_test.go", name == "CONTRIBUTING.md":
		return true
	}
	return !slices.Contains([]string{"", ".go", ".md", ".mod", ".conf", ".txt", ".yaml", ".sh", ".diff", ".json"}, path.Ext(name))
}

// plainWords returns a rule: no file has a banned word, unless an entry of the list
// allows it, and each entry allows a word.
func plainWords(allowed []allowedWord) sourcetree.Rule {
	return func(t *testing.T, tree fs.FS) (violations []string) {
		used := make([]bool, len(allowed))
		sourcetree.WalkAll(t, tree, func(name string, text []byte) {
			if notOurWords(name) {
				return
			}
			for _, found := range bannedIn(name, string(text)) {
				i := slices.IndexFunc(allowed, func(a allowedWord) bool {
					return sourcetree.Within(name, a.file) && strings.Contains(found.text, a.line)
				})
				if i < 0 {
					violations = append(violations, found.String())
				} else {
					used[i] = true
				}
			}
		})
		for i, entry := range allowed {
			if !used[i] {
				violations = append(violations, fmt.Sprintf("%s has no banned word in a line with %q: remove the entry from allowedWords", entry.file, entry.line))
			}
			if entry.reason == "" {
				violations = append(violations, fmt.Sprintf("%s: the entry for %q has no reason", entry.file, entry.line))
			}
		}
		return violations
	}
}

func TestTextHasNoBannedWords(t *testing.T) {
	if len(allowedWords) > mostAllowedWords {
		t.Errorf("allowedWords has %d entries of at most %d", len(allowedWords), mostAllowedWords)
	}
	plainWords(allowedWords).Holds(t)
}

func TestBannedWordsAreFound(t *testing.T) {
	for _, c := range []struct{ name, file, text, word string }{
		{"word in a page", "docs/faq.md", "each room has a test", "room"},
		{"word at the end of a sentence", "docs/faq.md", "It goes to the outpost.", "outpost"},
		{"upper case", "README.md", "The Bakery", "bakery"},
		{"identifier in camel case", "rest/client.go", "func openDoor() {}", "door"},
		{"identifier that begins with the word", "rest/client.go", "type LaneSet struct{}", "lane"},
		{"identifier after an initialism", "rest/client.go", "var tlsRoom, HTTPRoom int", "room"},
		{"identifier in snake case", "rest/client.go", "const MAX_ROOMS = 1", "rooms"},
		{"plural", "rest/client.go", "// All lanes are open.", "lanes"},
		{"string", "rest/client.go", `errors.New("nobody answered")`, "nobody"},
		{"comment", "rest/client.go", "// Who reads it waits.", "who"},
		{"two words", "rest/client.go", "// The worker goes home.", "goes home"},
		{"two words on two lines", "rest/client.go", "// The worker goes\n// home.", "goes home"},
		{"transcript", "cache/testdata/x.txt", "-- a twin", "twin"},
		{"sentence that begins with What is", "docs/faq.md", "It ends. What is new is read.", "What is"},
		{"comment that begins with Of", "rest/client.go", "// Of two faults the first acts.", "Of"},
		{"shell script", ".ci/run", "# the house rules", "house"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := bannedIn(c.file, c.text)
			if len(found) == 0 || found[0].word != c.word || found[0].instead == "" || found[0].file != c.file {
				t.Errorf("bannedIn(%q, %q) = %v; want the word %q", c.file, c.text, found, c.word)
			}
		})
	}
	if found := bannedIn("a.md", "one\ntwo\na door and a lane"); len(found) != 2 || found[0].line != 3 || found[1].word != "lane" {
		t.Errorf("found %v; want door and lane in line 3", found)
	}
}

func TestOtherWordsAreNotFound(t *testing.T) {
	for _, c := range []struct{ name, file, text string }{
		{"longer words", "rest/client.go", "// a dashboard, a string, early, inside, a warehouse, indoors, troubleshooting, marketing"},
		{"person in a page", "docs/faq.md", "A user who has a clientset keeps it."},
		{"user of Kubernetes", "rest/client.go", "// kubectl auth whoami"},
		{"question", "docs/faq.md", "## What is a gate for?"},
		{"method named Of", "rest/client.go", "x := pods.Of (y); kindOf (x)"},
		{"comment of a function Of", "rest/client.go", "// Of returns a client.\nfunc Of(x int) {}"},
		{"phrase with another meaning", "rest/client.go", "// It stands for a pod."},
		{"possessive", "rest/client.go", "// a type whose fields are skipped"},
		{"words that are not adjacent", "rest/client.go", "// The value goes to the home directory."},
		{"words of Kubernetes and Go", "rest/client.go", "func adoptOrphan(buffer, heap, backlog, window, owner, lease int) {}"},
		{"initialisms", "rest/client.go", "var TLSEARLY, HTTPDoorway int"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if found := bannedIn(c.file, c.text); len(found) > 0 {
				t.Errorf("bannedIn(%q, %q) = %v; want none", c.file, c.text, found)
			}
		})
	}
}

func TestTheRuleForWordsCanFail(t *testing.T) {
	tree := func(text string) fstest.MapFS { return fstest.MapFS{"rest/client.go": sourcetree.Text(text)} }
	none := plainWords(nil)
	none.Breaks(t, tree("package rest\n\n// A room.\n"), "rest/client.go:3", `"room"`, "write package")
	none.Breaks(t, fstest.MapFS{"rest/testdata/a.txt": sourcetree.Text("a door\n")}, "rest/testdata/a.txt:1")
	none.Breaks(t, fstest.MapFS{"bench/go.mod": sourcetree.Text("module m // a lane\n")}, "bench/go.mod:1")
	none.Breaks(t, fstest.MapFS{"docs/zhejiang/a.md": sourcetree.Text("a room\n")}, "docs/zhejiang/a.md:1")
	none.Breaks(t, fstest.MapFS{".ci/run": sourcetree.Text("# a lane\n")}, ".ci/run:1")
	none.Passes(t, tree("package rest\n"))
	none.Passes(t, fstest.MapFS{
		"README.zh.md":                            sourcetree.Text("room"),
		"docs/zh/names.md":                        sourcetree.Text("room"),
		"learn/_work/04-listwatch/watch.go":       sourcetree.Text("package listwatch // a room\n"),
		"internal/wire/testdata/objects/pod.json": sourcetree.Text("room"),
		"internal/wire/testdata/objects/pod.pb":   sourcetree.Text("room"),
	})

	entry := allowedWord{"rest/client.go", "a meeting room", "the resource of an example"}
	allowing := plainWords([]allowedWord{entry})
	allowing.Passes(t, tree("package rest // a meeting room\n"))
	allowing.Breaks(t, tree("package rest\n"), "remove the entry")
	allowing.Breaks(t, tree("package rest // a meeting room\n// another room\n"), "rest/client.go:2")
	allowing.Breaks(t, fstest.MapFS{
		"rest/client.go": sourcetree.Text("// a meeting room"),
		"rest/other.go":  sourcetree.Text("// a meeting room"),
	}, "rest/other.go:1")
	entry.reason = ""
	plainWords([]allowedWord{entry}).Breaks(t, tree("// a meeting room"), "has no reason")
}
