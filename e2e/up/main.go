// Command up runs a real kube-apiserver and etcd on loopback until Ctrl-C, and prints how
// to connect to them:
//
//	go run -C e2e ./up           # builds missing programs: about ten minutes the first time
//	go run -C e2e ./up -build    # builds only
//	go run -C e2e ./up -log      # shows the logs of both servers on standard error
//
// Further arguments are flags of kube-apiserver.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/thinformer/thinformer/e2e/plane"
)

func main() {
	build := flag.Bool("build", false, "build kube-apiserver, etcd and kubectl, and exit")
	log := flag.Bool("log", false, "show the logs of both servers on standard error")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *build, *log, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "up:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, build, log bool, flags []string) error {
	binaries, err := plane.Build(ctx)
	if err != nil || build {
		return err
	}
	options := plane.Options{Binaries: binaries, Flags: flags}
	if log {
		options.Log = os.Stderr
	}
	servers, err := plane.Start(ctx, options)
	if err != nil {
		return err
	}
	fmt.Printf(`kube-apiserver answers at %[1]s

	export KUBECONFIG=%[2]s
	alias kubectl=%[3]s
	kubectl get namespaces
	kubectl --context=nobody get namespaces    # a user without permissions
	curl --cacert %[4]s -H 'Authorization: Bearer %[5]s' %[1]s/version

Ctrl-C ends the servers and removes their data.
`, servers.URL, servers.Kubeconfig, servers.Binaries.Kubectl, servers.CAFile, servers.Tokens[plane.Admin])
	select {
	case <-ctx.Done():
		return servers.Close()
	case <-servers.Ended():
		return errors.Join(errors.New("kube-apiserver has ended unexpectedly"), errors.New(servers.Log()), servers.Close())
	}
}
