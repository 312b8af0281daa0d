package column

import (
	"encoding/json"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// Column is one of the further columns of a table of custom resources.
type Column struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Format      string `json:"format"`
	Description string `json:"description"`
	Priority    int32  `json:"priority"`
	JSONPath    string `json:"jsonPath"`
}

// Cell is the function that says what stands in the column for an object: text,
// an int64, a float64 or a bool; nil for nothing, as always if the path is one of
// more than we can.
func (c Column) Cell() func(object map[string]any) any {
	path, err := parseJSONPath(c.JSONPath)
	if err != nil {
		return func(map[string]any) any { return nil }
	}
	return func(object map[string]any) any {
		value, found := path.first(object)
		if !found {
			return nil
		}
		return cellOf(c.Type, value)
	}
}

// cellOf is a value in a column of a type, nil if it is not of that type.
func cellOf(kind string, value any) any {
	switch kind {
	case "string":
		return cellText(value)
	case "integer":
		switch value := value.(type) {
		case int64:
			return value
		case float64:
			return int64(value)
		}
	case "number":
		switch value := value.(type) {
		case int64:
			return float64(value)
		case float64:
			return value
		}
	case "boolean":
		if value, is := value.(bool); is {
			return value
		}
	case "date":
		if value, is := value.(string); is {
			return ageText(value)
		}
	}
	return nil
}

// cellText is any value as text.
func cellText(value any) any {
	switch value := value.(type) {
	case nil:
		return nil
	case string:
		return value
	case map[string]any, []any:
		text, err := json.Marshal(value)
		if err != nil {
			return nil
		}
		return string(text)
	}
	return fmt.Sprint(value)
}

// ageText is how long ago a time was.
func ageText(since string) string {
	if since == "" {
		return "<unknown>"
	}
	at, err := time.Parse(time.RFC3339, since)
	if err != nil {
		return "<invalid>"
	}
	return duration.HumanDuration(time.Since(at))
}
