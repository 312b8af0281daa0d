package kubeconfig_test

import (
	"fmt"

	"github.com/thinformer/thinformer/rest"
	"github.com/thinformer/thinformer/rest/kubeconfig"
)

// With a Path, Load reads that file. Without one, it reads the same files as
// kubectl, or returns the in-cluster config.
func ExampleLoad() {
	loaded, err := kubeconfig.Load(kubeconfig.Options{Path: "testdata/config.yaml", Context: "staging"})
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := rest.New(loaded.Config)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	fmt.Println(loaded.Config.Host, loaded.User, loaded.Namespace)
	// Output: https://staging.example.com:6443 developer shop
}

// An error for an unknown context lists the known ones.
func ExampleFromBytes() {
	text := []byte(`
current-context: prod
contexts:
- name: production
  context: {cluster: production}
`)
	_, err := kubeconfig.FromBytes(text, kubeconfig.Options{})
	fmt.Println(err)
	// Output: use the kubeconfig (from bytes): the context "prod" does not exist: known contexts: "production"
}
