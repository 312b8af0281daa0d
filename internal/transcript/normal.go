package transcript

import (
	"fmt"
	"math/big"
	"net/url"
	"regexp"
	"strings"
)

// normal gives what differs from play to play a name that does not.
type normal struct {
	namespace string
	host      string
	versions  map[string]string
	uids      map[string]string
	generated map[string]string // the whole name to its normal form
	newest    *big.Int          // the greatest version of an object that was seen
}

func newNormal(namespace, base string) *normal {
	n := &normal{
		namespace: namespace,
		versions:  map[string]string{}, uids: map[string]string{}, generated: map[string]string{},
		newest: new(big.Int),
	}
	if at, err := url.Parse(base); err == nil {
		n.host = at.Host
	}
	return n
}

var (
	uuidForm    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	timeForm    = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	ageForm     = regexp.MustCompile(`^\d+[smhd]$`)
	versionForm = regexp.MustCompile(`((?i:resource ?version): "?|, current: |ResourceVersion in (?:the precondition|record) \()\d+( \(\d+\))?`)
)

// see looks at a whole answer before any of it is hidden: versions and names
// that the server generated are known from then on.
func (n *normal) see(value any) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			n.see(item)
		}
	case map[string]any:
		if meta, ok := value["metadata"].(map[string]any); ok {
			n.seeMeta(meta, isCollection(value))
		}
		for _, field := range value {
			n.see(field)
		}
	}
}

func (n *normal) seeMeta(meta map[string]any, collection bool) {
	if version, ok := parseVersion(meta["resourceVersion"]); ok && !collection && version.Cmp(n.newest) > 0 {
		n.newest = version
	}
	prefix, _ := meta["generateName"].(string)
	name, _ := meta["name"].(string)
	if prefix != "" && strings.HasPrefix(name, prefix) && len(name) == len(prefix)+5 && n.generated[name] == "" {
		n.generated[name] = fmt.Sprintf("%s<gen%d>", prefix, len(n.generated)+1)
	}
}

func parseVersion(value any) (*big.Int, bool) {
	text, _ := value.(string)
	return new(big.Int).SetString(text, 10)
}

// isCollection is whether a version in it is the collection's at the time, and
// not that of one write.
func isCollection(object map[string]any) bool {
	kind, _ := object["kind"].(string)
	_, items := object["items"]
	return items || strings.HasSuffix(kind, "List") || kind == "Table"
}

// value is the normal form of a JSON value. A collection's version is said as
// of now, unless something newer has been seen; so is a bookmark's.
func (n *normal) value(value any, collection bool) any {
	switch value := value.(type) {
	case string:
		return n.text(value)
	case []any:
		for i := range value {
			value[i] = n.value(value[i], false)
		}
	case map[string]any:
		if meta, ok := value["metadata"].(map[string]any); ok {
			n.meta(meta, collection || isCollection(value))
		}
		if cells, ok := value["cells"].([]any); ok {
			hideAges(cells)
		}
		for _, key := range sortedKeys(value) {
			value[n.text(key)] = n.value(value[key], false)
			if n.text(key) != key {
				delete(value, key)
			}
		}
	}
	return value
}

func (n *normal) meta(meta map[string]any, collection bool) {
	if version, ok := meta["resourceVersion"].(string); ok && version != "" {
		meta["resourceVersion"] = n.version(version, collection)
	}
	if token, ok := meta["continue"].(string); ok && token != "" {
		meta["continue"] = "<continue>"
	}
}

func (n *normal) version(version string, collection bool) string {
	if collection {
		if number, ok := parseVersion(version); ok && number.Cmp(n.newest) >= 0 {
			return "<now>"
		}
		if name, ok := n.versions[version]; ok {
			return name
		}
		return "<earlier>"
	}
	return named(n.versions, version, "rv")
}

// text normalises what may stand anywhere in a string.
func (n *normal) text(text string) string {
	text = strings.ReplaceAll(text, n.namespace, "<ns>")
	if n.host != "" {
		text = strings.ReplaceAll(text, n.host, "<server>")
	}
	for name, normal := range n.generated {
		text = strings.ReplaceAll(text, name, normal)
	}
	text = uuidForm.ReplaceAllStringFunc(text, func(uid string) string { return named(n.uids, uid, "uid") })
	text = timeForm.ReplaceAllString(text, "<time>")
	return versionForm.ReplaceAllString(text, "${1}<version>")
}

func hideAges(cells []any) {
	for i, cell := range cells {
		if text, ok := cell.(string); ok && ageForm.MatchString(text) {
			cells[i] = "<age>"
		}
	}
}

// named is the name of a value, by order of first appearance.
func named(names map[string]string, value, kind string) string {
	if names[value] == "" {
		names[value] = fmt.Sprintf("<%s%d>", kind, len(names)+1)
	}
	return names[value]
}
