// Package kubeconfig finds out which cluster a program is to talk to, and as
// whom, in the way of kubectl: from the files that users have, or from the pod
// that the program runs in.
//
//	$KUBECONFIG  a:b:c ──┐ first wins
//	~/.kube/config     ──┼──► clusters, users, contexts ──► one context ──► rest.Config
//	FromBytes          ──┘                                                  namespace
//	in a pod           ─── no file says anything ─────────────────────────►
//
// # The shortest use
//
//	loaded, err := kubeconfig.Load(kubeconfig.Options{})
//	if err != nil {
//		return err
//	}
//	client, err := rest.New(loaded.Config)
//
// # Which files
//
// [Options.Path] is the one file that is read, and must exist. Else it is the
// files that $KUBECONFIG lists, of which missing and repeated ones are passed
// over; else ~/.kube/config, if it is there. When none of them holds anything,
// it is [rest.InCluster]. A file that is there and cannot be read or
// understood is an error: another cluster than the one that was meant is worse
// than none.
//
// Several files are one: of the entries of a name the one in the first file
// counts, whole, and so does the first current-context. Relative paths, and
// the command of a plugin when it is a path, are relative to the file that
// names them. A file is YAML or JSON; unknown fields are passed over, fields of
// a wrong type are errors that name the file and the field.
//
// # Rules
//
//   - Data (certificate-authority-data, …) wins over a file of the same kind.
//   - A token, a tokenFile, a password or a client certificate wins over exec.
//   - Credentials are for https. To a server that says http, nothing is sent that
//     says who is asking, but for the impersonated user. One that says neither
//     is http as well; there credentials and TLS settings are an error, where
//     kubectl drops them without a word.
//   - The namespace is that of the Options, of the context, of $POD_NAMESPACE,
//     of the pod's service account, or "default": the first that is there.
//   - Errors name the file, the context, the cluster or user, and the field.
//     They never show what the field holds.
//
// A kubeconfig names programs to run and files to read and send. Load none
// that somebody may have written whom you would not let do that.
//
// Files are read, not written: kubectl config does that.
//
// client-go calls this tools/clientcmd: Load is its
// NewNonInteractiveDeferredLoadingClientConfig with default rules, FromBytes its
// RESTConfigFromKubeConfig. Where that goes on in silence, this does not: a
// context whose user does not exist, a client-key without its certificate, and
// contexts of which none is current, in a pod, are errors. Where that gives up,
// this goes on: data beside a file, and a plugin of v1 that does not say how
// interactive it is. The next room is package rest.
package kubeconfig
