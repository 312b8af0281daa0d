// Package kubectl has only tests: the pinned kubectl at a real kube-apiserver and
// at apitest.
//
//	testdata/*.txt ──► sh, with kubectl on its path ──► what it printed ──► as in the file?
//
// A session is a text file of commands for a shell and what they print, each
// set off by a blank line:
//
//	# Labels are selected by equality.
//	$ kubectl get configmaps -l app=web -o name
//	configmap/web
//
// Lines that begin with "> " belong to the command before them. A comment that
// a blank line follows belongs to no command. All commands of a session run in
// one folder, with kubectl and as much of curl as they use; what they print to either stream is what is held, with the exit
// code after it if it is not 0, and times, ages, uids, versions and addresses
// replaced by names. One that goes on in the background writes to a file, for which
//
//	await n file
//
// waits until it has n lines.
//
// What is in the files is what the real server makes of it:
//
//	go -C e2e test ./kubectl -args -rewrite
//
// writes that anew. Where apitest differs by a limit that its package comment
// states, a second answer follows, after a line that has the limit's name:
//
//	---- limit=columns
package kubectl
