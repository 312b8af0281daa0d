package debug

import (
	_ "embed"
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
)

var (
	//go:embed page.css
	styleSheet string
	//go:embed page.js
	script string
)

// assetsVersion returns a hash of the style sheet and the script. It is part of their
// addresses, so that browsers can keep them until they change.
func assetsVersion() string {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(styleSheet))
	_, _ = hash.Write([]byte(script))
	return fmt.Sprintf("%x", hash.Sum32())
}

// writeFile writes the style sheet or the script, and reports whether it has the name.
func writeFile(w http.ResponseWriter, r *http.Request, name string) bool {
	content, of := styleSheet, "text/css"
	switch name {
	case "page.css":
	case "page.js":
		content, of = script, "text/javascript"
	default:
		return false
	}
	defer setWriteDeadline(w, r)()
	header := w.Header()
	header.Set("Content-Type", of+"; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(content)))
	header.Set("Cache-Control", "private, max-age=31536000, immutable")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	_, _ = w.Write([]byte(content)) // the client may have disconnected
	return true
}
