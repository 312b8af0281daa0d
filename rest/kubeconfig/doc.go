// Package kubeconfig finds the cluster and the user of a program as kubectl does:
// in kubeconfig files, or in the pod that the program runs in.
//
//	$KUBECONFIG  a:b:c ──┐ first wins
//	~/.kube/config     ──┼──► clusters, users, contexts ──► one context ──► rest.Config
//	FromBytes          ──┘                                                  namespace
//	in a pod           ─── if no file has an entry ───────────────────────►
//
// # Basic use
//
//	loaded, err := kubeconfig.Load(kubeconfig.Options{})
//	if err != nil {
//		return err
//	}
//	client, err := rest.New(loaded.Config)
//
// # Files
//
// Load reads the file [Options.Path], which must exist. If Path is empty, it reads
// the files that $KUBECONFIG lists, and skips missing and repeated ones. If
// $KUBECONFIG is not set, it reads ~/.kube/config if that exists. If none of the
// files has an entry, it uses [rest.InCluster]. An existing file that cannot be
// read or parsed is an error, so that a program never connects to a cluster other
// than the intended one.
//
// Several files are merged: for each name the entry of the first file wins as a
// whole, and so does the first current-context. Relative paths, including that of
// a plugin's command, are relative to the file that contains them. A file is YAML
// or JSON. Unknown fields are ignored; a field of a wrong type is an error that
// names the file and the field.
//
// # Rules
//
//   - Data (certificate-authority-data, …) takes precedence over a file of the same
//     kind.
//   - A token, a tokenFile, a password or a client certificate takes precedence
//     over exec.
//   - Credentials are used with https only. A server with the scheme http receives
//     no credentials, but it receives the impersonated user. A server without a
//     scheme also uses http. Credentials and TLS settings for it are an error,
//     whereas kubectl drops them silently.
//   - The namespace comes from the first of these that sets one: the Options, the
//     context, $POD_NAMESPACE, the pod's service account. Otherwise it is
//     "default".
//   - Errors name the file, the context, the cluster or user, and the field. They
//     never contain the value of a field that may be secret.
//
// Never load an untrusted kubeconfig: it can run programs, read files and send
// their contents.
//
// The package does not write files; use kubectl config.
//
// The counterparts in client-go are in tools/clientcmd: Load is
// NewNonInteractiveDeferredLoadingClientConfig with default rules, FromBytes is
// RESTConfigFromKubeConfig. Load is stricter: a context with an unknown user, a
// client-key without its certificate, and, in a pod, contexts without a
// current-context are errors. It also accepts more: data beside a file, and a v1
// plugin without an interactiveMode. Package rest uses the Config.
package kubeconfig
