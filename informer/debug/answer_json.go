package debug

import (
	"bufio"
	"encoding/json"
	"io"
)

// stream writes the JSON of a page with objects while it is generated. The keys follow
// the objects. It stops when the client has disconnected.
func (a *listing) stream(w io.Writer) {
	out := bufio.NewWriter(w)
	defer out.Flush()
	member := func(separator, name string, value any) error {
		text, err := json.Marshal(value)
		if err != nil {
			return err // cannot happen: times and states can be encoded
		}
		_, _ = out.WriteString(separator + `  "` + name + `": `)
		_, err = out.Write(indent(text, "  "))
		return err
	}
	if member("{\n", "now", a.Now) != nil || member(",\n", "informer", a.Informer) != nil {
		return
	}
	separator := ",\n  \"objects\": [\n    "
	for o := range a.objects {
		text, err := json.Marshal(o)
		if err != nil {
			return // cannot happen: render returned JSON
		}
		o = object{} // do not hold two forms of the object while the client reads
		_, _ = out.WriteString(separator)
		if _, err = out.Write(indent(text, "    ")); err != nil {
			return
		}
		separator = ",\n    "
	}
	if separator == ",\n    " {
		_, _ = out.WriteString("\n  ]")
	}
	if member(",\n", "keys", a.Keys) == nil && a.Continue != "" {
		_ = member(",\n", "continue", a.Continue)
	}
	_, _ = out.WriteString("\n}\n")
}
