package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// The versions of the protocol that credential plugins speak.
const (
	execV1      = "client.authentication.k8s.io/v1"
	execV1beta1 = "client.authentication.k8s.io/v1beta1"
)

// When a plugin may ask the user.
const (
	execNever       = "Never"
	execIfAvailable = "IfAvailable"
	execAlways      = "Always"
)

// ExecConfig is a program that hands out credentials, by the protocol of
// client.authentication.k8s.io. It runs when the first request needs them, when
// they expire and when the server refuses them, once for all requests that
// wait. What it writes to its standard error goes to that of this process;
// what it writes to its standard output is shown nowhere.
type ExecConfig struct {
	// Command to run, found by the usual rules; a relative path is relative to
	// the working directory.
	Command string
	Args    []string
	// Env is added to the process's own environment.
	Env []ExecEnv
	// APIVersion of the protocol: client.authentication.k8s.io/v1 or v1beta1.
	APIVersion string
	// InstallHint is shown when the command is not found.
	InstallHint string
	// ProvideClusterInfo hands the server's address and authorities to the
	// program.
	ProvideClusterInfo bool
	// Config of the cluster, handed to the program with its info: raw JSON.
	Config []byte
	// Interactive is Never, IfAvailable or Always; "" is IfAvailable. The
	// program is given the standard input if that is a terminal, unless it is
	// Never; with Always it is an error if there is none.
	Interactive string
}

// ExecEnv is one variable of the environment.
type ExecEnv struct{ Name, Value string }

func (e *ExecConfig) validate() error {
	switch {
	case e == nil:
		return nil
	case e.Command == "":
		return errors.New("Config.Exec has no Command")
	case e.APIVersion != execV1 && e.APIVersion != execV1beta1:
		return fmt.Errorf("Config.Exec of %s: APIVersion is %q: it must be %s or %s", e.Command, e.APIVersion, execV1, execV1beta1)
	case e.Interactive != "" && e.Interactive != execNever && e.Interactive != execIfAvailable && e.Interactive != execAlways:
		return fmt.Errorf("Config.Exec of %s: Interactive is %q: it must be %s, %s or %s", e.Command, e.Interactive, execNever, execIfAvailable, execAlways)
	case len(e.Config) > 0 && !json.Valid(e.Config):
		return fmt.Errorf("Config.Exec of %s: Config is not JSON", e.Command)
	}
	for _, variable := range e.Env {
		if variable.Name == "" || strings.ContainsAny(variable.Name, "=\x00") || strings.Contains(variable.Value, "\x00") {
			return fmt.Errorf("Config.Exec of %s: the variable %q cannot be in an environment", e.Command, variable.Name)
		}
	}
	return nil
}
