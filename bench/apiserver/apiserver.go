// Package apiserver runs an API server of apitest in its own process, with TLS and
// HTTP/2, for cases of whole operators. Its responses are JSON.
package apiserver

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgo "k8s.io/client-go/rest"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/bench/process"
	"github.com/thinformer/thinformer/rest"
)

// Config has the objects that a server has from the start.
type Config struct {
	// Secrets is the number of Secrets in the namespace default, and SecretBytes the size
	// of the data of each. There is no Secret if it is 0.
	Secrets, SecretBytes int
	// Apps is the number of ConfigMaps in the namespace default. Each has the label of
	// [AppLabel] and names a Secret; no two name the same one.
	Apps int
	// Namespaces is the number of other namespaces, and Each the number of ConfigMaps in
	// each of them.
	Namespaces, Each int
}

const (
	// Namespace is the namespace of the Secrets and the apps.
	Namespace = "default"
	// AppLabel is the label of the apps; its value is "true".
	AppLabel = "example.com/app"
	// SecretField is the key of the name of the Secret in the data of an app.
	SecretField = "secret"
	// DataField is the key of the data of a Secret.
	DataField = "tls.key"
)

// NamespaceName returns the name of the i-th other namespace.
func NamespaceName(i int) string { return fmt.Sprintf("team-%03d", i) }

// SecretName returns the name of the i-th Secret.
func SecretName(i int) string { return fmt.Sprintf("certificate-%05d", i) }

// secret returns the i-th Secret. Its metadata are like those of a certificate.
func (c Config) secret(i int) *corev1.Secret {
	data := make([]byte, c.SecretBytes)
	for at := range data {
		data[at] = byte(at*7 + i)
	}
	return &corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: Namespace, Name: SecretName(i),
			Labels: map[string]string{"app.kubernetes.io/managed-by": "certificates", "example.com/team": fmt.Sprintf("team-%d", i%40)},
			Annotations: map[string]string{
				"example.com/common-name": fmt.Sprintf("site-%d.example.com", i),
				"example.com/issuer":      "internal",
			},
		},
		Data: map[string][]byte{DataField: data},
	}
}

// app returns the i-th app.
func (c Config) app(i int) *corev1.ConfigMap {
	name := ""
	if c.Apps > 0 && c.Secrets > 0 {
		name = SecretName(i * (c.Secrets / c.Apps))
	}
	return &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: fmt.Sprintf("app-%03d", i), Labels: map[string]string{AppLabel: "true"}},
		Data:       map[string]string{SecretField: name},
	}
}

// inNamespace returns the i-th ConfigMap of all those of the other namespaces.
func (c Config) inNamespace(i int) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: NamespaceName(i / c.Each), Name: fmt.Sprintf("settings-%03d", i%c.Each)},
		Data:       map[string]string{"level": "info", "number": fmt.Sprint(i)},
	}
}

// newServer returns a server with the objects of the Config.
func newServer(c Config) *apitest.Server {
	srv := apitest.NewServer(apitest.Options{})
	apitest.Seed(nil, srv, c.Secrets, c.secret)
	apitest.Seed(nil, srv, c.Apps, c.app)
	apitest.Seed(nil, srv, c.Namespaces*c.Each, c.inNamespace)
	return srv
}

// Address has what a client needs to connect to a server.
type Address struct {
	URL string
	// CA is the certificate of the server's authority.
	CA []byte
}

// Ours returns a config of this library's client.
func (a Address) Ours() *rest.Config {
	return &rest.Config{Host: a.URL, TLS: rest.TLSConfig{CAData: a.CA}}
}

// Theirs returns a config of client-go's client, without a limit of requests.
func (a Address) Theirs() *clientgo.Config {
	return &clientgo.Config{Host: a.URL, TLSClientConfig: clientgo.TLSClientConfig{CAData: a.CA}, QPS: -1}
}

// Roles returns the roles of the child processes of this package.
func Roles() map[string]process.Role {
	return map[string]process.Role{"apiserver": func(question json.RawMessage) error {
		var c Config
		if err := json.Unmarshal(question, &c); err != nil {
			return err
		}
		srv := newServer(c)
		defer srv.Close()
		fmt.Println(srv.URL, base64.StdEncoding.EncodeToString(srv.Config().TLS.CAData))
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	}}
}

// running is the current server. A server can take a gigabyte, so there is one at a time.
var running struct {
	sync.Mutex
	of   Config
	at   Address
	stop func()
}

// Serve returns the address of a server in its own process. Calls with the same Config
// use the same server, with the changes that earlier users have made.
func Serve(c Config) Address {
	running.Lock()
	defer running.Unlock()
	if running.stop != nil && running.of == c {
		return running.at
	}
	if running.stop != nil {
		running.stop()
	}
	line, stop := process.Serve("apiserver", c)
	url, encoded, _ := strings.Cut(line, " ")
	ca, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		panic(err)
	}
	running.of, running.at, running.stop = c, Address{URL: url, CA: ca}, stop
	return running.at
}
