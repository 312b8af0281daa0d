package rest

// ExecConfig is a program that hands out credentials, by the protocol of
// client.authentication.k8s.io.
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
	// Interactive is Never, IfAvailable or Always; "" is IfAvailable.
	Interactive string
}

// ExecEnv is one variable of the environment.
type ExecEnv struct{ Name, Value string }
