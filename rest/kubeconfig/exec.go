package kubeconfig

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/thinformer/thinformer/rest"
)

func readExec(n node, dir string) *rest.ExecConfig {
	exec := &rest.ExecConfig{
		Command:            resolveCommand(dir, n.field("command").stringValue()),
		Args:               n.field("args").stringList(),
		APIVersion:         n.field("apiVersion").stringValue(),
		InstallHint:        stripControlCharacters(n.field("installHint").stringValue()),
		ProvideClusterInfo: n.field("provideClusterInfo").boolValue(),
		Interactive:        n.field("interactiveMode").stringValue(),
	}
	for variable := range n.field("env").items() {
		variable = variable.mapping()
		exec.Env = append(exec.Env, rest.ExecEnv{Name: variable.field("name").stringValue(), Value: variable.field("value").stringValue()})
	}
	return exec
}

// stripControlCharacters removes terminal control characters from a hint.
func stripControlCharacters(hint string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, hint)
}

// checkExec makes the checks of package rest, so that the error names the user.
func checkExec(exec *rest.ExecConfig) error {
	switch {
	case exec.Command == "":
		return errors.New("exec.command is empty")
	case exec.APIVersion == "":
		return errors.New("exec.apiVersion is empty")
	case exec.APIVersion != "client.authentication.k8s.io/v1" && exec.APIVersion != "client.authentication.k8s.io/v1beta1":
		return fmt.Errorf("exec.apiVersion is %q: want client.authentication.k8s.io/v1 or v1beta1", truncate(exec.APIVersion))
	}
	switch exec.Interactive {
	case "", "Never", "IfAvailable", "Always":
	default:
		return fmt.Errorf("exec.interactiveMode is %q: want Never, IfAvailable or Always", truncate(exec.Interactive))
	}
	for i, variable := range exec.Env {
		if variable.Name == "" {
			return fmt.Errorf("exec.env[%d] has no name", i)
		}
	}
	return nil
}

func applyExec(config *rest.Config, exec rest.ExecConfig, target *cluster) error {
	if exec.ProvideClusterInfo && target.execExtension.exists() {
		text, err := marshalExtension(target.execExtension.value)
		if err != nil {
			return fmt.Errorf("encode %s for the exec plugin: %w", target.execExtension.path, err)
		}
		exec.Config = text
	}
	config.Exec = &exec
	return nil
}

// maxExtensionSize limits the JSON that is passed to a plugin in an environment
// variable, which cannot hold more.
const maxExtensionSize = 1 << 20

var errExtensionTooLarge = fmt.Errorf("the JSON is larger than %d bytes", maxExtensionSize)

// marshalExtension encodes decoded YAML as JSON. Aliases can make the JSON far
// longer than the file, so the limit is checked before encoding.
func marshalExtension(value any) ([]byte, error) {
	budget := maxExtensionSize
	plain, err := toJSONValue(value, &budget)
	if err != nil {
		return nil, err
	}
	return json.Marshal(plain)
}

// toJSONValue converts the keys of all maps to strings. It fails when the budget is
// used up.
func toJSONValue(value any, budget *int) (any, error) {
	if *budget--; *budget < 0 {
		return nil, errExtensionTooLarge
	}
	switch value := value.(type) {
	case string:
		*budget -= len(value)
	case []any:
		list := make([]any, len(value))
		for i := range value {
			inner, err := toJSONValue(value[i], budget)
			if err != nil {
				return nil, err
			}
			list[i] = inner
		}
		return list, nil
	case map[string]any:
		return toJSONFields(value, budget)
	case map[any]any:
		return toJSONFields(value, budget)
	}
	return value, nil
}

func toJSONFields[K comparable](fields map[K]any, budget *int) (map[string]any, error) {
	converted := make(map[string]any, len(fields))
	for key, field := range fields {
		switch any(key).(type) {
		case string, bool, int, int64, uint64, float64:
		default:
			return nil, fmt.Errorf("want a scalar as a key, found %s", typeName(key))
		}
		name := fmt.Sprint(key)
		*budget -= len(name)
		value, err := toJSONValue(field, budget)
		if err != nil {
			return nil, err
		}
		converted[name] = value
	}
	return converted, nil
}
