// Package transcripts holds the scripts in apitest/testdata/transcripts to the
// server that they are recorded from, kube-apiserver. apitest's own tests play
// the same scripts against apitest: what both pass, both answer alike.
//
//	go -C e2e test -count=1 ./transcripts        # is this what kube-apiserver answers?
//	go -C e2e test ./transcripts -args -rewrite  # record what it answers
//
// Without -count=1 the go command does not see that a script has changed: the
// scripts are not in this module.
//
// What a script may say is in internal/transcript.
package transcripts
