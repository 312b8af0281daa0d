package column

import (
	"encoding/json"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// Column is one of the additionalPrinterColumns.
type Column struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Format      string `json:"format"`
	Description string `json:"description"`
	Priority    int32  `json:"priority"`
	JSONPath    string `json:"jsonPath"`
}

// Cell returns a function that computes the cell of an object: a string, an int64,
// a float64, a bool, or nil if the cell is empty. It is always nil if the path is
// not supported.
func (c Column) Cell() func(object map[string]any) any {
	path, err := parseJSONPath(c.JSONPath)
	if err != nil {
		return func(map[string]any) any { return nil }
	}
	return func(object map[string]any) any {
		value, found := path.firstValue(object)
		if !found {
			return nil
		}
		return cellValue(c.Type, value)
	}
}

// cellValue converts a value to a column type. It returns nil if the value has
// another type.
func cellValue(kind string, value any) any {
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
		if value, ok := value.(bool); ok {
			return value
		}
	case "date":
		if value, ok := value.(string); ok {
			return ageText(value)
		}
	}
	return nil
}

// cellText converts any value to text.
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

// ageText returns the time since a timestamp.
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
