"""What a runtime makes of a case of a suite: is it what is expected, and if not, who is wrong?"""
