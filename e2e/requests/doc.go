// Package requests tests the responses of a real kube-apiserver to single requests: to a
// Body without a kind, and to the list by which a controller determines whether its
// informer selects an object.
package requests
