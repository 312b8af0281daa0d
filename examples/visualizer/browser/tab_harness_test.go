package browser

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// serve serves a page, and returns its address.
func serve(t *testing.T, html string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-1'; connect-src 'self'; img-src data:")
		_, _ = w.Write([]byte("<!DOCTYPE html><link rel=icon href=data:,><body><p>" + r.Header.Get("Accept-Language") + "</p>" + html))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Every kind of error on the console is noticed.
func TestConsoleErrorsAreNoticed(t *testing.T) {
	for name, c := range map[string]struct{ html, want string }{
		"exception":      {`<script nonce="1">missing()</script>`, "missing is not defined"},
		"console.error":  {`<script nonce="1">console.error("broken", 1)</script>`, `"broken" 1`},
		"failed request": {`<script nonce="1">fetch("/absent").then(() => document.body.id = "done")</script>`, "404"},
		"policy":         {`<script>document.body.id = "bad"</script>`, "Content Security Policy"},
		"rejection":      {`<script nonce="1">Promise.reject(new Error("rejected"))</script>`, "rejected"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newTab(t, tabOptions{})
			p.open(serve(t, c.html))
			var found string
			require.Eventually(t, func() bool {
				found += strings.Join(p.consoleErrors(), "\n")
				return strings.Contains(found, c.want)
			}, timeout, 5e6, "want %s", c.want)
			p.consoleErrors()
		})
	}
}

// The options of a tab reach the page, and a page that is too wide is noticed.
func TestTabOptions(t *testing.T) {
	p := newTab(t, tabOptions{width: 320, dark: true, reducedMotion: true, language: "zh-CN"})
	p.open(serve(t, ""))
	p.waitFor(`document.readyState === "complete"`)
	require.Equal(t, "zh-CN", eval[string](p, `document.querySelector("p").textContent`))
	require.Equal(t, 320, eval[int](p, `innerWidth`))
	require.True(t, eval[bool](p, `matchMedia("(prefers-color-scheme: dark)").matches && matchMedia("(prefers-reduced-motion: reduce)").matches`))
	p.requireNoOverflow()
	p.screenshot("harness", true)
	eval[bool](p, `(document.querySelector("p").append("x".repeat(200)), true)`)
	require.Len(t, p.overflow(), 1)
}
