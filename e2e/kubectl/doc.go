// Package kubectl has only tests. They run the pinned kubectl with a real kube-apiserver
// and with apitest.
//
//	testdata/*.txt ──► sh, with kubectl on its path ──► output ──► compared with the file
//
// A session is a text file of shell commands with their output, separated by blank lines:
//
//	# Labels are selected by equality.
//	$ kubectl get configmaps -l app=web -o name
//	configmap/web
//
// Lines that begin with "> " belong to the command before them. A comment that is followed
// by a blank line belongs to no command. All commands of a session run in one folder, with
// kubectl and a part of curl. The output has both streams, and the exit code if it is not
// 0. Times, ages, uids, versions and addresses are replaced by names. A command in the
// background writes to a file, and
//
//	await n file
//
// waits until the file has n lines.
//
// The output in the files is that of the real server.
//
//	go -C e2e test ./kubectl -args -rewrite
//
// rewrites it. Where apitest differs by a limit in its package comment, a second output
// follows, after a line with the name of the limit:
//
//	---- limit=columns
package kubectl
