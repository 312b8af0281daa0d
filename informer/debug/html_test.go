package debug

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/informer"
)

// getHTML returns the HTML of the fleet, with all features.
func getHTML(t *testing.T, query string) (code int, body string, header http.Header) {
	t.Helper()
	h := New(Options{Informers: fleet, Objects: true, Timeline: newFilledTimeline(), Sections: func() []Section {
		return []Section{
			{Title: "controller a", Lines: []string{"state     running", "working   on a", "working   on b", "no label"}, Problems: []Problem{}},
			{Title: "build", Lines: []string{"1.2.3"}},
			{Title: "controller c", Problems: []Problem{{Text: "It waits for <b>.", Hint: "Wait & see."}}},
		}
	}})
	r := httptest.NewRequest(http.MethodGet, "/debug/?"+query, nil)
	r.Header.Set("Accept", "text/html")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String(), w.Header()
}

// pages are the kinds of HTML pages.
var pages = map[string]string{
	"overview": "", "keys": "informer=pods", "no keys": "informer=pods&search=none", "objects": "informer=pods&objects=true",
	"object": "informer=pods&key=default/web-0", "deleted": "informer=pods&key=default/gone", "failing": "informer=secrets",
	"missing": "informer=pods&key=none", "unknown": "informer=none",
}

// Each page can be used with a screen reader and by keyboard: a language, one main
// heading, headings without gaps, a caption for each table, a label for each input, and
// a region for announcements.
func TestHTMLIsAccessible(t *testing.T) {
	for name, query := range pages {
		t.Run(name, func(t *testing.T) {
			_, body, _ := getHTML(t, query)
			require.Contains(t, body, `<html lang="en">`)
			require.Contains(t, body, `name="viewport" content="width=device-width, initial-scale=1"`)
			require.Regexp(t, `<title>[^<]+</title>`, body)
			require.Equal(t, 1, strings.Count(body, "<h1>"))
			require.Equal(t, 1, strings.Count(body, "<main "))
			require.Equal(t, 1, strings.Count(body, `role="status"`))
			level := 0
			for _, heading := range regexp.MustCompile(`<h([1-6])`).FindAllStringSubmatch(body, -1) {
				next := int(heading[1][0] - '0')
				require.LessOrEqual(t, next, level+1, "a heading of level %d follows one of level %d", next, level)
				level = next
			}
			require.Equal(t, strings.Count(body, "<table"), len(regexp.MustCompile(`<table[^>]*><caption[ >]`).FindAllString(body, -1)))
			for _, label := range regexp.MustCompile(`(.{30})<(?:select|input [^>]*type="search")`).FindAllStringSubmatch(body, -1) {
				require.Regexp(t, `<label>[A-Z][a-z ]+ $`, label[1])
			}
			ids := map[string]bool{}
			for _, id := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(body, -1) {
				require.False(t, ids[id[1]], "the id %s is not unique", id[1])
				ids[id[1]] = true
			}
			for _, target := range regexp.MustCompile(`(?: href="#| aria-labelledby=")([^"]*)"`).FindAllStringSubmatch(body, -1) {
				require.True(t, ids[target[1]], "%s has no target", target[1])
			}
		})
	}
}

// Tags of tables, lists and sections are closed in order.
func TestHTMLIsWellFormed(t *testing.T) {
	void := map[string]bool{"meta": true, "link": true, "input": true, "!DOCTYPE": true}
	for name, query := range pages {
		_, body, _ := getHTML(t, query)
		var open []string
		for _, tag := range regexp.MustCompile(`<(/?)(!?[A-Za-z0-9]+)`).FindAllStringSubmatch(body, -1) {
			switch {
			case void[tag[2]]:
			case tag[1] == "":
				open = append(open, tag[2])
			default:
				require.NotEmpty(t, open, name)
				require.Equal(t, open[len(open)-1], tag[2], name)
				open = open[:len(open)-1]
			}
		}
		require.Empty(t, open, name)
	}
}

// The policy allows only the script and the style sheet of the page, which contain no
// other addresses. The page has no script, style or handler of its own.
func TestHTMLHasNoInlineScript(t *testing.T) {
	for name, query := range pages {
		_, body, header := getHTML(t, query)
		require.Equal(t, "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
			header.Get("Content-Security-Policy"), name)
		require.NotRegexp(t, `(?i)<script>|<style| style=| on[a-z]+=|javascript:|https?://`, body, name)
		require.Equal(t, 1, strings.Count(body, "<script "), name)
	}
	for _, asset := range []string{styleSheet, script} {
		require.NotRegexp(t, `(?i)https?:|//[a-z]|@import|url\(|innerHTML|insertAdjacent|document\.write|eval\(`, regexp.MustCompile(`(?m)^ *// .*$| // .*$`).ReplaceAllString(asset, ""))
		require.Less(t, len(asset), 8<<10, "the page is part of many binaries")
	}
	// Text and JSON have the policy that they had without scripts.
	w := httptest.NewRecorder()
	New(Options{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/?format=json", nil))
	require.Equal(t, "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'", w.Header().Get("Content-Security-Policy"))
}

// The page of all informers begins with the state and the problems, with hints. Failing
// components precede those that wait.
func TestOverviewShowsProblemsFirst(t *testing.T) {
	_, body, _ := getHTML(t, "")
	require.Contains(t, body, "<title>Failing: informers</title>")
	require.Contains(t, body, `<p id="state" class="state"><strong class="badge failing">Failing</strong> Of 5 components: 1 failing, 3 waiting, 1 healthy.</p>`)
	before, _, found := strings.Cut(body, `<div class="cards">`)
	require.True(t, found)
	position := -1
	for _, want := range []string{
		`<a href="#informer-secrets">secrets</a>: list secrets: forbidden`, "Failing <time", "next attempt <time",
		`<a href="#section-2">controller c</a>: It waits for &lt;b&gt;.`, "Wait &amp; see.",
		`<a href="#informer-pods">pods</a>: The handler slow is behind`, `<a href="#informer-pods%232">pods#2</a>: The informer is not running.`,
	} {
		at := strings.Index(before, want)
		require.Greater(t, at, position, want)
		position = at
	}
	require.Equal(t, 4, strings.Count(before, "What to do:"))
}

// The lines of a section are a table. A section without Problems has no health.
func TestSectionsAreTables(t *testing.T) {
	_, body, _ := getHTML(t, "")
	require.Contains(t, body, `<h2>controller a <strong class="badge healthy">Healthy</strong></h2>`)
	require.Contains(t, body, `<tr><th scope="row">State</th><td><div>running</div></td>`)
	require.Contains(t, body, `<tr><th scope="row">Working</th><td><div>on a</div><div>on b</div></td>`)
	require.Contains(t, body, `<tr><td colspan="2">no label</td>`)
	require.Contains(t, body, "<h2>build</h2>")
	for line, want := range map[string][2]string{
		"state     running": {"state", "running"}, "a  b": {"a", "b"}, "a  b  c": {"a", "b  c"}, "plain": {"", "plain"}, "a b  c": {"", "a b  c"},
		"": {"", ""}, "  indented": {"", "  indented"}, "label  ": {"", "label  "},
	} {
		label, text := splitLine(line)
		require.Equal(t, want, [2]string{label, text}, "%q", line)
	}
}

// A search finds keys by any part, and leads to the timeline of a deleted object.
func TestSearch(t *testing.T) {
	_, body, _ := getHTML(t, "informer=pods&search=+eb-+")
	require.Contains(t, body, "Keys that contain “eb-”")
	require.Contains(t, body, `name="search" value="eb-"`)
	require.Equal(t, 2, strings.Count(body, "&amp;key="))
	_, body, _ = getHTML(t, "informer=pods&search=e&limit=1")
	require.Contains(t, body, `<a href="?continue=default%2Fweb-0&amp;informer=pods&amp;limit=1&amp;search=e">Next page</a>`)
	_, body, _ = getHTML(t, "informer=pods&search=default/gone")
	require.Contains(t, body, "The store has no such keys.")
	require.Contains(t, body, `An object that has been deleted may have <a href="?informer=pods&amp;key=default%2Fgone">a timeline</a>.`)
	code, body, _ := getHTML(t, "search=web")
	require.Equal(t, http.StatusBadRequest, code)
	require.Contains(t, body, "the parameter informer is missing")
	code, body, _ = getHTML(t, "informer=pods&key=none")
	require.Equal(t, http.StatusNotFound, code)
	require.Contains(t, body, `<input type="hidden" name="informer" value="pods">`)
}

// A name with any characters can be searched: the form sends it back unchanged.
func TestSearchFormKeepsNames(t *testing.T) {
	name := "a\x1b\"&<\u202e"
	h := New(Options{Informers: func() []informer.AnyInformer {
		return []informer.AnyInformer{&fakeInformer{state: informer.State{Name: name}}}
	}})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/?format=html", nil))
	require.Contains(t, w.Body.String(), "<option value=\"a\x1b&#34;&amp;&lt;\u202e\">a\\x1b&#34;&amp;&lt;\\u202e</option>")
}
