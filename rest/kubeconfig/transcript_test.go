package kubeconfig

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/rest"
)

// The transcripts in testdata have files, an environment, and the results of Load.
// Their commands:
//
//	file NAME          writes its input to a file
//	env NAME=VALUE...  sets variables; @ is the directory of the files
//	pod                simulates a pod from here on
//	load [OPTION=...]  calls Load, and prints the fields that are not zero
//	bytes [OPTION=...] passes its input to FromBytes
//
// Run with -rewrite to update them.
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata/transcripts", func(t *testing.T, path string) {
		p := newProcess(t)
		datadriven.RunTest(t, path, p.run)
	})
}

// testProcess is the process environment of a transcript.
type testProcess struct {
	dir   string
	vars  map[string]string
	inPod bool
}

func newProcess(t *testing.T) *testProcess {
	return &testProcess{dir: t.TempDir(), vars: map[string]string{}}
}

func (p *testProcess) run(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "file":
		path := filepath.Join(p.dir, d.CmdArgs[0].Key)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(d.Input+"\n"), 0o600))
	case "env":
		for _, arg := range d.CmdArgs {
			p.vars[arg.Key] = strings.ReplaceAll(strings.Join(arg.Vals, ""), "@", p.dir)
		}
	case "pod":
		p.inPod = true
	case "load":
		return p.show(load(p.options(d), p.environment()))
	case "bytes":
		return p.show(FromBytes([]byte(d.Input), p.options(d)))
	default:
		d.Fatalf(t, "unknown command %q", d.Cmd)
	}
	return ""
}

func (p *testProcess) environment() environment {
	return environment{
		getenv: func(name string) string { return p.vars[name] },
		home: func() (string, error) {
			if home := p.vars["HOME"]; home != "" {
				return home, nil
			}
			return "", errors.New("no home")
		},
		inCluster: func() (*rest.Config, error) {
			if !p.inPod {
				return nil, errors.New("not in a pod")
			}
			return &rest.Config{Host: "https://in-cluster"}, nil
		},
		namespaceFile: filepath.Join(p.dir, "serviceaccount"),
	}
}

func (p *testProcess) options(d *datadriven.TestData) (o Options) {
	fields := map[string]*string{
		"path": &o.Path, "context": &o.Context, "cluster": &o.Cluster,
		"user": &o.User, "namespace": &o.Namespace, "server": &o.Server,
	}
	for _, arg := range d.CmdArgs {
		*fields[arg.Key] = strings.ReplaceAll(strings.Join(arg.Vals, ""), "@", p.dir)
	}
	return o
}

// show prints the fields that are not zero, with @ for the directory of the files.
func (p *testProcess) show(loaded *Result, err error) string {
	if err != nil {
		if strings.Contains(err.Error(), "s3cret") {
			return "A SECRET IN " + err.Error() + "\n"
		}
		return strings.ReplaceAll("error: "+err.Error(), p.dir, "@") + "\n"
	}
	var b strings.Builder
	line := func(name string, value any) {
		if text := fmt.Sprintf("%v", value); text != "" && text != "false" && text != "[]" && text != "map[]" {
			fmt.Fprintf(&b, "%s: %s\n", name, text)
		}
	}
	c := loaded.Config
	line("host", c.Host)
	line("namespace", loaded.Namespace)
	line("in cluster", loaded.InCluster)
	line("context", loaded.Context)
	line("cluster", loaded.Cluster)
	line("user", loaded.User)
	line("server name", c.TLS.ServerName)
	line("insecure", c.TLS.Insecure)
	line("CA", c.TLS.CAFile+string(c.TLS.CAData))
	line("cert", c.TLS.CertFile+string(c.TLS.CertData))
	line("key", c.TLS.KeyFile+string(c.TLS.KeyData))
	line("token", c.BearerToken)
	line("token file", c.BearerTokenFile)
	line("basic", strings.Trim(c.Username+":"+c.Password, ":"))
	line("as", c.Impersonate.UserName)
	line("as uid", c.Impersonate.UID)
	line("as groups", c.Impersonate.Groups)
	line("as extra", c.Impersonate.Extra)
	line("no compression", c.DisableCompression)
	if c.Proxy != nil {
		proxy, err := c.Proxy(&http.Request{})
		line("proxy", fmt.Sprint(proxy, " ", err))
	}
	if e := c.Exec; e != nil {
		var env []string
		for _, variable := range e.Env {
			env = append(env, variable.Name+"="+variable.Value)
		}
		line("exec", fmt.Sprintf("%s %q env=%v %s cluster=%t config=%s %s hint=%q",
			e.Command, e.Args, env, e.APIVersion, e.ProvideClusterInfo, e.Config, e.Interactive, e.InstallHint))
	}
	return strings.ReplaceAll(b.String(), p.dir, "@")
}
