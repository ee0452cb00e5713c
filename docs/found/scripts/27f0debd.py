# torch 2.13.0+cpu: torch.nn.functional.poisson_nll_loss with full=True has a gradient of NaN for targets of 0 and below
# met by hand: nan, gradient
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import torch
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

target = torch.tensor([0.0, 1.0], requires_grad=True)
loss = torch.nn.functional.poisson_nll_loss(torch.ones(2), target, full=True, reduction="sum")
loss.backward()
print("expected [-1. -1.] actual", target.grad.numpy())
raise SystemExit(1 if torch.equal(target.grad, -torch.ones(2)) else 0)
