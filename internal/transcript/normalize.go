package transcript

import (
	"fmt"
	"math/big"
	"net/url"
	"regexp"
	"strings"
)

// normalizer replaces values that differ between runs by stable names.
type normalizer struct {
	namespace string
	host      string
	versions  map[string]string
	uids      map[string]string
	generated map[string]string // normalized names, by full name
	newest    *big.Int          // the highest version of an object seen so far
}

func newNormalizer(namespace, base string) *normalizer {
	n := &normalizer{
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
	uuidPattern    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	timePattern    = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	agePattern     = regexp.MustCompile(`^\d+[smhd]$`)
	versionPattern = regexp.MustCompile(`((?i:resource ?version): "?|, current: |ResourceVersion in (?:the precondition|record) \()\d+( \(\d+\))?`)
)

// observe records the versions and generated names in a whole response, before any
// of it is hidden.
func (n *normalizer) observe(value any) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			n.observe(item)
		}
	case map[string]any:
		if meta, ok := value["metadata"].(map[string]any); ok {
			n.observeMeta(meta, isCollection(value))
		}
		for _, field := range value {
			n.observe(field)
		}
	}
}

func (n *normalizer) observeMeta(meta map[string]any, collection bool) {
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

// isCollection reports whether a version in the object is that of a collection, not
// that of one write.
func isCollection(object map[string]any) bool {
	kind, _ := object["kind"].(string)
	_, items := object["items"]
	return items || strings.HasSuffix(kind, "List") || kind == "Table"
}

// value normalizes a JSON value. The version of a collection or bookmark becomes
// <now>, unless a newer one has been seen.
func (n *normalizer) value(value any, collection bool) any {
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

func (n *normalizer) meta(meta map[string]any, collection bool) {
	if version, ok := meta["resourceVersion"].(string); ok && version != "" {
		meta["resourceVersion"] = n.version(version, collection)
	}
	if token, ok := meta["continue"].(string); ok && token != "" {
		meta["continue"] = "<continue>"
	}
}

func (n *normalizer) version(version string, collection bool) string {
	if collection {
		if number, ok := parseVersion(version); ok && number.Cmp(n.newest) >= 0 {
			return "<now>"
		}
		if name, ok := n.versions[version]; ok {
			return name
		}
		return "<earlier>"
	}
	return numbered(n.versions, version, "rv")
}

// text normalizes the variable parts of a string.
func (n *normalizer) text(text string) string {
	text = strings.ReplaceAll(text, n.namespace, "<ns>")
	if n.host != "" {
		text = strings.ReplaceAll(text, n.host, "<server>")
	}
	for name, normal := range n.generated {
		text = strings.ReplaceAll(text, name, normal)
	}
	text = uuidPattern.ReplaceAllStringFunc(text, func(uid string) string { return numbered(n.uids, uid, "uid") })
	text = timePattern.ReplaceAllString(text, "<time>")
	return versionPattern.ReplaceAllString(text, "${1}<version>")
}

func hideAges(cells []any) {
	for i, cell := range cells {
		if text, ok := cell.(string); ok && agePattern.MatchString(text) {
			cells[i] = "<age>"
		}
	}
}

// numbered returns the name of a value, numbered by first appearance.
func numbered(names map[string]string, value, kind string) string {
	if names[value] == "" {
		names[value] = fmt.Sprintf("<%s%d>", kind, len(names)+1)
	}
	return names[value]
}
