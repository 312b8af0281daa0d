package main

import (
	_ "k8s.io/api/core/v1"
	_ "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	_ "k8s.io/client-go/applyconfigurations"
	_ "k8s.io/client-go/kubernetes/scheme"
)
