// Package transcripts compares the scripts in apitest/testdata/transcripts with
// kube-apiserver, from which they are recorded. The tests of apitest run the same scripts
// with apitest. So both servers respond alike.
//
//	go -C e2e test -count=1 ./transcripts        # compare with kube-apiserver
//	go -C e2e test ./transcripts -args -rewrite  # record its responses
//
// Without -count=1 the go command does not detect that a script has changed, since the
// scripts are not in this module.
//
// Package internal/transcript describes the scripts.
package transcripts
