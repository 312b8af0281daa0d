package kubeconfig

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/thinformer/thinformer/rest"
)

func readExec(n node, folder string) *rest.ExecConfig {
	exec := &rest.ExecConfig{
		Command:            resolveCommand(folder, n.at("command").text()),
		Args:               n.at("args").texts(),
		APIVersion:         n.at("apiVersion").text(),
		InstallHint:        printable(n.at("installHint").text()),
		ProvideClusterInfo: n.at("provideClusterInfo").flag(),
		Interactive:        n.at("interactiveMode").text(),
	}
	for variable := range n.at("env").items() {
		variable = variable.fields()
		exec.Env = append(exec.Env, rest.ExecEnv{Name: variable.at("name").text(), Value: variable.at("value").text()})
	}
	return exec
}

// printable takes out of a hint what would do more to a terminal than show.
func printable(hint string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, hint)
}

// checkExec finds what rest would find as well, but could not say of whom.
func checkExec(exec *rest.ExecConfig) error {
	switch {
	case exec.Command == "":
		return errors.New("exec has no command")
	case exec.APIVersion == "":
		return errors.New("exec has no apiVersion")
	case exec.APIVersion != "client.authentication.k8s.io/v1" && exec.APIVersion != "client.authentication.k8s.io/v1beta1":
		return fmt.Errorf("exec has the apiVersion %q: want client.authentication.k8s.io/v1 or v1beta1", cut(exec.APIVersion))
	}
	switch exec.Interactive {
	case "", "Never", "IfAvailable", "Always":
	default:
		return fmt.Errorf("exec has the interactiveMode %q: want Never, IfAvailable or Always", cut(exec.Interactive))
	}
	for i, variable := range exec.Env {
		if variable.Name == "" {
			return fmt.Errorf("exec has an env[%d] without a name", i)
		}
	}
	return nil
}

func applyExec(config *rest.Config, exec rest.ExecConfig, onto *cluster) error {
	if exec.ProvideClusterInfo && onto.execExtension.here() {
		text, err := jsonOf(onto.execExtension.value)
		if err != nil {
			return fmt.Errorf("%s, which is for the plugin of exec: %w", onto.execExtension.path, err)
		}
		exec.Config = text
	}
	config.Exec = &exec
	return nil
}

// maxExtension bounds the JSON that a plugin is given. It goes through its
// environment, which does not hold more.
const maxExtension = 1 << 20

var errLargeExtension = fmt.Errorf("it is larger than %d bytes", maxExtension)

// jsonOf writes decoded YAML as JSON. Aliases can make that far longer than the
// file, so it is bounded while it is being written.
func jsonOf(value any) ([]byte, error) {
	room := maxExtension
	plain, err := stringKeys(value, &room)
	if err != nil {
		return nil, err
	}
	return json.Marshal(plain)
}

// stringKeys makes maps that JSON can hold, as long as there is room.
func stringKeys(value any, room *int) (any, error) {
	if *room--; *room < 0 {
		return nil, errLargeExtension
	}
	switch value := value.(type) {
	case string:
		*room -= len(value)
	case []any:
		list := make([]any, len(value))
		for i := range value {
			inner, err := stringKeys(value[i], room)
			if err != nil {
				return nil, err
			}
			list[i] = inner
		}
		return list, nil
	case map[string]any:
		fields := make(map[string]any, len(value))
		for name, field := range value {
			if err := addField(fields, name, field, room); err != nil {
				return nil, err
			}
		}
		return fields, nil
	case map[any]any:
		fields := make(map[string]any, len(value))
		for name, field := range value {
			if err := addField(fields, name, field, room); err != nil {
				return nil, err
			}
		}
		return fields, nil
	}
	return value, nil
}

func addField(fields map[string]any, name, field any, room *int) (err error) {
	switch name.(type) {
	case string, bool, int, int64, uint64, float64:
	default:
		return fmt.Errorf("a map has %s for a name", kindOf(name))
	}
	text := fmt.Sprint(name)
	*room -= len(text)
	fields[text], err = stringKeys(field, room)
	return err
}
